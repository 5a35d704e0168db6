package org.example.lending.query;

import static org.springframework.data.mongodb.core.aggregation.Aggregation.group;
import static org.springframework.data.mongodb.core.aggregation.Aggregation.lookup;
import static org.springframework.data.mongodb.core.aggregation.Aggregation.match;
import static org.springframework.data.mongodb.core.aggregation.Aggregation.newAggregation;
import static org.springframework.data.mongodb.core.aggregation.Aggregation.project;
import static org.springframework.data.mongodb.core.aggregation.Aggregation.sort;
import static org.springframework.data.mongodb.core.aggregation.Aggregation.unwind;
import static org.springframework.data.mongodb.core.query.Criteria.where;
import static org.springframework.data.mongodb.core.query.Query.query;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.example.lending.model.Loan;
import org.example.lending.model.LoanState;
import org.example.lending.model.Member;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.IncorrectResultSizeDataAccessException;
import org.springframework.data.domain.Sort;
import org.springframework.data.domain.Sort.Direction;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

public class LendingQueries {

    private final MongoOperations mongo;
    private final LoanRepository loans;
    private final FeePolicy policy;

    public LendingQueries(MongoOperations mongo, LoanRepository loans, FeePolicy policy) {
        this.mongo = mongo;
        this.loans = loans;
        this.policy = policy;
    }

    /** Sum the fees of each town's loans in a state, fees below the least left out. */
    public List<TownFees> feesByTown(LoanState state) {
        var pipeline = newAggregation(
                Loan.class,
                match(where("state").is(state)),
                lookup("members", "memberId", "_id", "member"),
                unwind("member", true),
                unwind("items"),
                match(where("items.fee").gte(policy.least())),
                group("member.town").count().as("items").sum("items.fee").as("fees"),
                project("items", "fees").and("_id").as("town").andExclude("_id"),
                sort(Sort.by(Direction.DESC, "fees")));
        return mongo.aggregate(pipeline, TownFees.class).getMappedResults();
    }

    public List<Loan> inState(LoanState state) {
        return loans.findByState(state, Sort.by("id"));
    }

    public List<Integer> idsAsStored() {
        return mongo.findAll(Loan.class).stream().map(Loan::getId).toList();
    }

    public Stream<String> cards() {
        return mongo.stream(new Query().with(Sort.by("card")), Member.class).map(Member::card);
    }

    public List<CardView> cardViews() {
        return mongo.query(Member.class).as(CardView.class).matching(new Query().with(Sort.by("card"))).all();
    }

    public Optional<Member> byCard(String card) {
        return Optional.ofNullable(mongo.findOne(query(where("card").is(card)), Member.class));
    }

    public Member requireCard(String card) {
        return byCard(card).orElseThrow();
    }

    public @Nullable Loan onlyLoanOf(int memberId) {
        return loans.findOneByMemberId(memberId).orElse(null);
    }

    public Loan onlyLoan() {
        var found = mongo.findAll(Loan.class);
        if (found.size() > 1) {
            throw new IncorrectResultSizeDataAccessException(1, found.size());
        }
        return found.getFirst();
    }

    public BigDecimal half(BigDecimal fee) {
        return fee.divide(BigDecimal.valueOf(3));
    }

    public long close(LoanState from) {
        var change = mongo.updateMulti(query(where("state").is(from)), new Update().set("state", LoanState.GIVEN_BACK), Loan.class);
        return change.getModifiedCount();
    }

    public void copyMember(int id, int copy) {
        var member = mongo.findById(id, Member.class);
        mongo.insert(new Member(copy, member.card(), member.town(), member.born(), member.token()));
    }
}

package org.example.lending.query;

import java.util.List;
import java.util.Optional;
import org.example.lending.model.Loan;
import org.example.lending.model.LoanState;
import org.springframework.data.domain.Sort;
import org.springframework.data.mongodb.repository.MongoRepository;

public interface LoanRepository extends MongoRepository<Loan, Integer> {

    List<Loan> findByState(LoanState state, Sort sort);

    Optional<Loan> findOneByMemberId(Integer memberId);
}

package org.example.lending;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import org.bson.UuidRepresentation;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.config.AbstractMongoClientConfiguration;
import org.springframework.data.mongodb.core.convert.MongoCustomConversions;
import org.springframework.data.mongodb.core.convert.MongoCustomConversions.BigDecimalRepresentation;
import org.springframework.data.mongodb.repository.config.EnableMongoRepositories;

@Configuration
@EnableMongoRepositories
public class LendingConfiguration extends AbstractMongoClientConfiguration {

    private final ConnectionString connection;

    public LendingConfiguration(@Value("${spring.mongodb.uri}") String uri) {
        this.connection = new ConnectionString(uri);
    }

    @Override
    protected String getDatabaseName() {
        return "lending";
    }

    @Override
    protected boolean autoIndexCreation() {
        return true;
    }

    @Override
    protected void configureClientSettings(MongoClientSettings.Builder builder) {
        builder.applyConnectionString(connection).uuidRepresentation(UuidRepresentation.STANDARD);
    }

    @Bean
    @Override
    public MongoCustomConversions customConversions() {
        return MongoCustomConversions.create(conversions -> conversions
                .bigDecimal(BigDecimalRepresentation.DECIMAL128)
                .useNativeDriverJavaTimeCodecs());
    }
}

package hostile;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.config.AbstractMongoClientConfiguration;

@Configuration
public class HostileConfiguration extends AbstractMongoClientConfiguration {

    private final ConnectionString connection;

    public HostileConfiguration(@Value("${spring.mongodb.uri}") String uri) {
        this.connection = new ConnectionString(uri);
    }

    @Override
    protected String getDatabaseName() {
        return "hostile";
    }

    @Override
    protected void configureClientSettings(MongoClientSettings.Builder builder) {
        builder.applyConnectionString(connection);
    }
}

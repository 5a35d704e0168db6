"""pom.xml: a plain Maven build of the written project."""

from xml.sax.saxutils import escape

from react_agent.model.translation import SourceFile

SPRING_DATA_MONGODB = "5.1.2"
MONGODB_DRIVER = "5.8.1"
JSPECIFY = "1.0.1"

_PROJECT = """\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 https://maven.apache.org/xsd/maven-4.0.0.xsd">
    <modelVersion>4.0.0</modelVersion>

    <groupId>{group}</groupId>
    <artifactId>{artifact}</artifactId>
    <version>0.1.0-SNAPSHOT</version>

    <properties>
        <maven.compiler.release>{release}</maven.compiler.release>
        <maven.compiler.parameters>true</maven.compiler.parameters>
        <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
    </properties>

    <dependencies>
{dependencies}
    </dependencies>

    <build>
        <plugins>
            <plugin>
                <groupId>org.apache.maven.plugins</groupId>
                <artifactId>maven-compiler-plugin</artifactId>
                <version>3.14.0</version>
            </plugin>
        </plugins>
    </build>
</project>
"""

_DEPENDENCY = """\
        <dependency>
            <groupId>{group}</groupId>
            <artifactId>{artifact}</artifactId>
            <version>{version}</version>
        </dependency>"""


def pom(package: str, release: int) -> SourceFile:
    """Write the build file; the package names the project."""
    group, _, artifact = package.rpartition(".")
    dependencies = (
        ("org.springframework.data", "spring-data-mongodb", SPRING_DATA_MONGODB),
        ("org.mongodb", "mongodb-driver-sync", MONGODB_DRIVER),
        ("org.jspecify", "jspecify", JSPECIFY),
    )
    text = _PROJECT.format(
        group=escape(group or artifact),
        artifact=escape(artifact),
        release=release,
        dependencies="\n".join(_DEPENDENCY.format(group=g, artifact=a, version=v) for g, a, v in dependencies),
    )
    return SourceFile(path="pom.xml", text=text)

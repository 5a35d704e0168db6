"""The artefacts between reading and writing: values, mapping, query, documents, translation, gaps."""

-- People who may log in.
CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);

CREATE INDEX users_name ON users (name);

-- Everybody by name.
CREATE VIEW sorted_users AS
SELECT id, name FROM users ORDER BY name;

CREATE FUNCTION user_count() RETURNS integer AS $$
    SELECT count(*) FROM users;
$$ LANGUAGE sql;

CREATE TYPE mood AS ENUM ('sad', 'happy');

INSERT INTO users (id, name) VALUES (1, 'root');

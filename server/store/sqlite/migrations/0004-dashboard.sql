create table administrator (
  id integer primary key check (id = 1),
  -- How the password is checked; null: none has been set.
  password text,
  -- SHA-256 of the token of the one-time link; null: there is none.
  setup text,
  -- Milliseconds since 1970.
  setup_expires_at integer
) strict;
insert into administrator (id) values (1);

create table sessions (
  -- SHA-256 of the token in the cookie.
  hash text primary key,
  -- Milliseconds since 1970.
  created_at integer not null,
  used_at integer not null
) strict, without rowid;

create table links (
  id text primary key,
  project integer not null references projects (id) on delete cascade,
  kind text not null check (kind in ('page', 'badge')),
  -- As it is: the dashboard shows the address again, and it opens only what stands in this file anyway.
  token text not null unique,
  created_at text not null
) strict, without rowid;

-- Day of the last use in UTC, YYYY-MM-DD; null: never.
alter table keys add column last_used_on text;

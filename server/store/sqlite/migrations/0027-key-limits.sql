-- Anew, as its rule for scopes has changed.
create table new_keys (
  id text primary key,
  hash text not null unique,
  name text not null,
  scope text not null check (scope in ('admin', 'jobs', 'read', 'ingest')),
  project integer references projects (id) on delete cascade,
  created_at text not null,
  -- Day of the last use in UTC, YYYY-MM-DD; null: never.
  last_used_on text,
  -- Null: it has no end.
  expires_at text,
  -- JSON list of addresses and ranges that it may be used from; an empty one: from anywhere.
  networks text not null default '[]',
  -- Who made it, as in the audit list; null: not known. With a key, those that it made are revoked.
  maker_kind text,
  maker_id text,
  maker_name text
) strict, without rowid;
insert into new_keys (id, hash, name, scope, project, created_at, last_used_on)
  select id, hash, name, scope, project, created_at, last_used_on from keys;
drop table keys;
alter table new_keys rename to keys;

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

-- What processes hold in memory, each with a number that every change raises.
create table versions (
  what text primary key,
  version integer not null
) strict, without rowid;
insert into versions select 'directory', version from directory_version;
insert into versions select 'sessions', sessions from directory_version;
drop table directory_version;

-- The directory's version that last changed it.
alter table projects add column changed integer not null default 1;
create index projects_by_change on projects (changed);
alter table keys add column changed integer not null default 1;
create index keys_by_change on keys (changed);
alter table links add column changed integer not null default 1;
create index links_by_change on links (changed);

-- What is not in the directory any more, for processes that still have it in memory.
create table removals (
  version integer not null,
  what text not null check (what in ('project', 'key', 'link')),
  id text not null
) strict;
create index removals_by_version on removals (version);

-- What nodes hold in memory, each with a number that every change raises.
create table versions (
  what text primary key,
  version int not null
);
insert into versions values ('directory', 1), ('sessions', 0);

create table projects (
  id int generated always as identity primary key,
  public_id text collate "C" not null unique,
  settings json not null,
  created_at text not null,
  -- Its visitors lie in as many shards; changes only with a day that nobody has opened.
  buckets int not null default 1,
  -- Days up to this one are sealed; null: none yet.
  sealed_through int,
  -- The directory's version that last changed it, as in the tables below.
  changed int not null
);
create index projects_by_change on projects (changed);

create table keys (
  id text collate "C" primary key,
  hash text not null unique,
  name text not null,
  scope text not null check (scope in ('admin', 'ingest')),
  project int references projects (id) on delete cascade,
  created_at text collate "C" not null,
  -- Day of the last use in UTC, YYYY-MM-DD; null: never.
  last_used_on text,
  changed int not null
);
create index keys_by_project on keys (project);
create index keys_by_change on keys (changed);

create table links (
  id text collate "C" primary key,
  project int not null references projects (id) on delete cascade,
  kind text not null check (kind in ('page', 'badge')),
  -- As it is: the dashboard shows the address again, and it opens only what stands in this database anyway.
  token text not null unique,
  created_at text collate "C" not null,
  changed int not null
);
create index links_by_project on links (project);
create index links_by_change on links (changed);

-- What is not in the directory any more, for nodes that still have it in memory.
create table removals (
  version int not null,
  what text not null check (what in ('project', 'key', 'link')),
  id text not null
);
create index removals_by_version on removals (version);

-- Encrypted before they come here.
create table secrets (
  project int not null references projects (id) on delete cascade,
  name text not null,
  sealed bytea not null,
  primary key (project, name)
);

-- By what the key is known that secrets and salts are encrypted with. No row: whoever opens the database next leaves it.
create table secret_key (
  id int primary key check (id = 1),
  instance text not null
);

create table administrator (
  id int primary key check (id = 1),
  -- How the password is checked; null: none has been set.
  password text,
  -- SHA-256 of the token of the one-time link; null: there is none.
  setup text,
  -- Milliseconds since 1970.
  setup_expires_at bigint
);
insert into administrator (id) values (1);

create table sessions (
  -- SHA-256 of the token in the cookie.
  hash text primary key,
  -- Milliseconds since 1970.
  created_at bigint not null,
  used_at bigint not null
);

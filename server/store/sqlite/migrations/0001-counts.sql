create table directory_version (version integer not null) strict;
insert into directory_version values (1);

create table projects (
  -- Never used again: names in memory are kept by it.
  id integer primary key autoincrement,
  public_id text not null unique,
  settings text not null,
  created_at text not null,
  -- Days up to this one are sealed; null: none yet.
  sealed_through integer
) strict;

create table keys (
  id text primary key,
  hash text not null unique,
  name text not null,
  scope text not null check (scope in ('admin', 'ingest')),
  project integer references projects (id) on delete cascade,
  created_at text not null
) strict, without rowid;

-- Days that still count: the row, and with it the salt, goes when the day is sealed.
create table days (
  -- Never used again either: visitors in memory are kept by it.
  id integer primary key autoincrement,
  project integer not null references projects (id),
  day integer not null,
  -- Null while the visitors of a sealed day are being deleted.
  salt blob,
  unique (project, day)
) strict;

-- Names first seen on an open day, by what they name, for the daily cap.
create table new_names (
  day integer not null references days (id) on delete cascade,
  what integer not null,
  names integer not null,
  primary key (day, what)
) strict, without rowid;

-- Who was seen on what: name 0 is the site. By visitor, so that what one visitor does stays on one page.
create table seen (
  day integer not null,
  visitor integer not null,
  name integer not null,
  -- 1 human, 2 ai, 3 both
  kinds integer not null,
  primary key (day, visitor, name)
) strict, without rowid;

create table names (
  id integer primary key,
  project integer not null references projects (id) on delete cascade,
  what integer not null,
  -- The AI client whose path this is; else 0.
  parent integer not null,
  text text not null,
  unique (project, what, parent, text)
) strict;

-- Sums of a block of `span` days that begins with `day`: 1 day, and for sealed days 4, 16, 64 and 256.
create table counts (
  project integer not null,
  what integer not null,
  parent integer not null,
  span integer not null,
  day integer not null,
  name integer not null,
  human_visitors integer not null,
  ai_visitors integer not null,
  visitors integer not null,
  human_views integer not null,
  ai_views integer not null,
  primary key (project, what, parent, span, day, name)
) strict, without rowid;

create table dropped (
  project integer not null references projects (id) on delete cascade,
  day integer not null,
  reason text not null,
  hits integer not null,
  primary key (project, day, reason)
) strict, without rowid;

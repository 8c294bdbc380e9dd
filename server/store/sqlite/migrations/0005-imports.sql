-- Access logs that were taken in, known by how their content begins, and how far each of them is counted.
create table logs (
  id integer primary key autoincrement,
  project integer not null references projects (id) on delete cascade,
  -- SHA-256 of the first so many bytes of the content, which a grown, renamed or packed log shares.
  head_length integer not null,
  head_hash blob not null,
  bytes integer not null,
  lines integer not null
) strict;
create index logs_of_project on logs (project);

-- What logs brought to a day, so that it can be told from what came another way.
create table imported_days (
  project integer not null references projects (id) on delete cascade,
  day integer not null,
  human_views integer not null,
  ai_views integer not null,
  -- Milliseconds since 1970 of the latest line that was counted.
  last_at integer not null,
  primary key (project, day)
) strict, without rowid;

-- When the throw-away salt of a sealed day that an import counts on is forgotten, in milliseconds since 1970; null: the
-- day is open as usual.
alter table days add column forget_at integer;

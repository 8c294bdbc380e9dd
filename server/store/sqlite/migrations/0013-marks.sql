-- What happened to a site on a day: a release that its owner marks, or a merged pull request of a job.
create table marks (
  project integer not null references projects (id) on delete cascade,
  id text not null,
  day integer not null,
  -- release, merge
  kind text not null,
  text text not null,
  -- JSON: paths of the site, or files of the repository.
  touched text not null,
  url text,
  -- Milliseconds since 1970.
  created_at integer not null,
  primary key (project, id)
) strict, without rowid;

-- Versions of the rules by which views of a day were judged.
create table rule_days (
  project integer not null references projects (id) on delete cascade,
  day integer not null,
  version integer not null,
  primary key (project, day, version)
) strict, without rowid;

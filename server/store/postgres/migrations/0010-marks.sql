-- What happened to a site on a day: a release that its owner marks, or a merged pull request of a job.
create table marks (
  project int not null references projects (id) on delete cascade,
  id text collate "C" not null,
  day int not null,
  -- release, merge
  kind text not null,
  text text not null,
  -- JSON: paths of the site, or files of the repository.
  touched text not null,
  url text,
  -- Milliseconds since 1970.
  created_at bigint not null,
  primary key (project, id)
);

-- Versions of the rules by which views of a day were judged.
create table rule_days (
  project int not null references projects (id) on delete cascade,
  day int not null,
  version int not null,
  primary key (project, day, version)
);

-- Access logs that were taken in, known by how their content begins, and how far each of them is counted.
--
-- Lock for the length of a transaction: logs of a project (7, project), before those of its counts.
create table logs (
  id int generated always as identity primary key,
  project int not null references projects (id) on delete cascade,
  -- SHA-256 of the first so many bytes of the content, which a grown, renamed or packed log shares.
  head_length int not null,
  head_hash bytea not null,
  bytes bigint not null,
  lines bigint not null
);
create index logs_by_project on logs (project);

-- What logs brought to a day, so that it can be told from what came another way.
create table imported_days (
  project int not null references projects (id) on delete cascade,
  day int not null,
  human_views bigint not null,
  ai_views bigint not null,
  -- Milliseconds since 1970 of the latest line that was counted.
  last_at bigint not null,
  primary key (project, day)
);

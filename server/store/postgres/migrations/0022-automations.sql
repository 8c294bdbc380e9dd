-- What starts jobs by itself.
create table automations (
  project int not null references projects (id) on delete cascade,
  id text collate "C" not null,
  -- JSON, see AutomationSettings.
  settings text not null,
  -- Milliseconds since 1970.
  created_at bigint not null,
  -- Null: it is off.
  on_since bigint,
  primary key (project, id)
);

-- What it did at one time, or about one thing.
create table automation_runs (
  project int not null,
  automation text collate "C" not null,
  -- Such as `2026-11-23`, or a path.
  key text collate "C" not null,
  at bigint not null,
  -- The public id; null: none was started.
  job text collate "C",
  -- Why none was.
  reason text,
  primary key (project, automation, key),
  foreign key (project, automation) references automations (project, id) on delete cascade
);
create index automation_runs_by_time on automation_runs (project, automation, at);

-- JSON, see Starter; null: a person or a program asked for it.
alter table jobs add column started_by text;

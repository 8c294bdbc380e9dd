-- What starts jobs by itself.
create table automations (
  project integer not null references projects (id) on delete cascade,
  id text not null,
  -- JSON, see AutomationSettings.
  settings text not null,
  -- Milliseconds since 1970.
  created_at integer not null,
  -- Null: it is off.
  on_since integer,
  primary key (project, id)
) strict, without rowid;

-- What it did at one time, or about one thing.
create table automation_runs (
  project integer not null,
  automation text not null,
  -- Such as `2026-11-23`, or a path.
  key text not null,
  at integer not null,
  -- The public id; null: none was started.
  job text,
  -- Why none was.
  reason text,
  primary key (project, automation, key),
  foreign key (project, automation) references automations (project, id) on delete cascade
) strict, without rowid;
create index automation_runs_by_time on automation_runs (project, automation, at);

-- JSON, see Starter; null: a person or a program asked for it.
alter table jobs add column started_by text;

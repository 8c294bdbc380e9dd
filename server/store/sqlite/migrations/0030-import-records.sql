-- When a log began to be taken back; null: it is imported.
alter table logs add column undone_at integer;

-- While the day is active, as JSON, the visitors that a batch counted and what they counted under; with the row of the day.
alter table log_days add column visitors text;
alter table log_days add column day_id integer;
create index log_days_with_visitors on log_days (day_id) where day_id is not null;

-- What people decided about faults of pages, and the job that works on each.
create table faults (
  project integer not null references projects (id) on delete cascade,
  id text not null,
  -- not_found, refused, …
  kind text not null,
  path text not null,
  -- What was found when it was first decided on.
  evidence text not null,
  -- The public id of the newest job; null: none was started.
  job text,
  assignee text,
  -- Null: it is not dismissed.
  dismissed_at integer,
  dismissed_by text,
  primary key (project, id)
) strict, without rowid;

-- What views are combined by, until the day is closed.
alter table visit_views add column view_values blob;

-- How many visitors of a closed day have the same values, of the site and of its pages.
create table cells (
  project integer not null references projects (id) on delete cascade,
  day integer not null,
  human_views integer not null,
  ai_views integer not null,
  site blob not null,
  pages blob not null,
  primary key (project, day)
) strict, without rowid;

-- Filters, days, a comparison and a page of the dashboard under a name.
create table saved_views (
  project integer not null references projects (id) on delete cascade,
  id text not null,
  name text not null,
  -- The rest, as JSON.
  shows text not null,
  created_at integer not null,
  primary key (project, id)
) strict, without rowid;

-- What people decided about faults of pages, and the job that works on each.
create table faults (
  project int not null references projects (id) on delete cascade,
  id text collate "C" not null,
  -- not_found, refused, …
  kind text collate "C" not null,
  path text collate "C" not null,
  -- What was found when it was first decided on.
  evidence text not null,
  -- The public id of the newest job; null: none was started.
  job text collate "C",
  assignee text,
  -- Null: it is not dismissed.
  dismissed_at bigint,
  dismissed_by text,
  primary key (project, id)
);

-- What views are combined by, until the day is closed.
alter table visit_views add column if not exists view_values bytea;

-- How many visitors of a closed day have the same values, of the site and of its pages.
create table if not exists cells (
  project int not null references projects (id) on delete cascade,
  day int not null,
  human_views int not null,
  ai_views int not null,
  site bytea not null,
  pages bytea not null,
  primary key (project, day)
);

-- Filters, days, a comparison and a page of the dashboard under a name.
create table saved_views (
  project int not null references projects (id) on delete cascade,
  id text collate "C" not null,
  name text collate "C" not null,
  -- The rest, as JSON.
  shows text not null,
  created_at bigint not null,
  primary key (project, id)
);

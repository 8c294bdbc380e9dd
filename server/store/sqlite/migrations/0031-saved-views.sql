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

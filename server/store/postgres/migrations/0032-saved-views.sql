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

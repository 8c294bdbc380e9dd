-- When a project's site is to be looked at again, in milliseconds since 1970, when it last was (null: never to the end), and
-- what could not be read then.
create table site_looks (
  project integer primary key references projects (id) on delete cascade,
  host text not null,
  due_at integer not null,
  fetched_at integer,
  trouble text not null default ''
) strict;

-- What is known of a site's robots.txt from a moment on, in milliseconds since 1970.
create table robots (
  id integer primary key,
  project integer not null references projects (id) on delete cascade,
  known_at integer not null,
  host text not null,
  status text not null check (status in ('found', 'missing', 'unreachable')),
  text text not null,
  unique (project, known_at)
) strict;
create index robots_by_time on robots (known_at);

-- The pages that a site's sitemaps list, as JSON.
create table sitemaps (
  project integer primary key references projects (id) on delete cascade,
  host text not null,
  fetched_at integer not null,
  pages text not null
) strict;

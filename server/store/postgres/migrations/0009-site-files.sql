-- When a project's site is to be looked at again, in milliseconds since 1970, when it last was (null: never to the end), and
-- what could not be read then.
create table site_looks (
  project int primary key references projects (id) on delete cascade,
  host text collate "C" not null,
  due_at bigint not null,
  fetched_at bigint,
  trouble text not null default ''
);

-- What is known of a site's robots.txt from a moment on, in milliseconds since 1970.
create table robots (
  project int not null references projects (id) on delete cascade,
  known_at bigint not null,
  host text collate "C" not null,
  status text collate "C" not null check (status in ('found', 'missing', 'unreachable')),
  text text not null,
  primary key (project, known_at)
);
create index robots_by_time on robots (known_at);

-- The pages that a site's sitemaps list, as JSON.
create table sitemaps (
  project int primary key references projects (id) on delete cascade,
  host text collate "C" not null,
  fetched_at bigint not null,
  pages text not null
);

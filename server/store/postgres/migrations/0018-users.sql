-- Who signs in with a name of their own.
create table users (
  id text collate "C" primary key,
  name text collate "C" not null unique,
  -- How the password is checked; null: none has been set.
  password text,
  -- SHA-256 of the token of the link that sets it, once; null: there is none.
  link text unique,
  -- Milliseconds since 1970.
  link_expires_at bigint,
  created_at text collate "C" not null
);

-- What users may do.
create table roles (
  user_id text collate "C" not null references users (id) on delete cascade,
  -- Null: all projects, later ones included.
  project int references projects (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'owner'))
);
create unique index roles_by_user on roles (user_id, coalesce(project, 0));
create index roles_by_project on roles (project);

-- Beside those of the administrator, for which a node of the release before takes whatever stands in their table.
create table user_sessions (
  -- SHA-256 of the token in the cookie.
  hash text primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  -- Milliseconds since 1970.
  created_at bigint not null,
  used_at bigint not null
);
create index user_sessions_by_user on user_sessions (user_id, used_at);

-- Who changed what. Projects, users and keys by what they were called then, as they may be gone.
create table audit (
  id int generated always as identity primary key,
  -- Milliseconds since 1970.
  at bigint not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  action text not null,
  project_id text collate "C",
  subject text not null,
  -- JSON list of texts.
  changes text not null
);
create index audit_by_time on audit (at);
create index audit_by_project on audit (project_id, at);

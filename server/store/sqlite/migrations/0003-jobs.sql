create table jobs (
  -- Never used again, and in the order of creation.
  id integer primary key autoincrement,
  public_id text not null unique,
  project integer not null references projects (id) on delete cascade,
  status text not null check (status in ('active', 'completed', 'archived', 'failed')),
  repository text not null,
  ref text not null,
  model text not null,
  pr_link text,
  created_at text not null,
  archived_at text,
  -- Milliseconds since 1970 of the last message or the last end of a turn.
  active_at integer not null,
  -- Number of the newest event.
  last_event integer not null default 0
) strict;
create index jobs_by_project on jobs (project, id);
create index jobs_by_status on jobs (project, status, id);
create index jobs_at_rest on jobs (active_at) where status in ('completed', 'failed');

create table turns (
  job integer not null references jobs (id) on delete cascade,
  number integer not null,
  prompt text not null,
  phase text not null,
  attempt integer not null default 0,
  created_at integer not null,
  -- When it may be claimed: at once, after a pause, or when its lease runs out.
  due_at integer not null,
  -- 1 while somebody works on it.
  leased integer not null default 0,
  -- Raised by every claim; whoever holds an older number has lost the turn.
  fence integer not null default 0,
  -- JSON, see TurnRecord.
  record text not null default '{}',
  primary key (job, number)
) strict, without rowid;
create index turns_open on turns (created_at, job, number) where phase <> 'settled';
create index turns_leased on turns (due_at) where leased = 1;

-- The transcript.
create table events (
  job integer not null references jobs (id) on delete cascade,
  number integer not null,
  turn integer not null,
  at text not null,
  type text not null,
  data text not null,
  primary key (job, number)
) strict, without rowid;

-- The conversation with the model.
create table messages (
  job integer not null references jobs (id) on delete cascade,
  turn integer not null,
  position integer not null,
  message text not null,
  primary key (job, turn, position)
) strict, without rowid;

-- Accepted requests of the last hour.
create table uses (
  id integer primary key,
  project integer not null references projects (id) on delete cascade,
  route text not null check (route in ('create', 'message')),
  at integer not null
) strict;
create index uses_by_time on uses (project, route, at);

-- Accepted requests of the last day that may be sent again.
create table idempotency_keys (
  project integer not null references projects (id) on delete cascade,
  -- 'create', or 'message' and the job it went to.
  route text not null,
  key text not null,
  request_hash text not null,
  job integer not null references jobs (id) on delete cascade,
  at integer not null,
  primary key (project, route, key)
) strict, without rowid;
create index idempotency_keys_by_time on idempotency_keys (at);
create index idempotency_keys_by_job on idempotency_keys (job);

-- Encrypted before they come here.
create table secrets (
  project integer not null references projects (id) on delete cascade,
  name text not null,
  sealed blob not null,
  primary key (project, name)
) strict, without rowid;

-- Milliseconds since 1970 by the clock of the database, which is the same for all nodes; or those that are handed in.
create function store_clock(handed bigint) returns bigint language sql volatile
  return coalesce(handed, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);

-- Text that people and models write is kept as JSON, as a text in PostgreSQL holds no character U+0000.
create table jobs (
  -- In the order of creation.
  id int generated always as identity primary key,
  public_id text collate "C" not null unique,
  project int not null references projects (id) on delete cascade,
  status text not null check (status in ('active', 'completed', 'archived', 'failed')),
  repository text not null,
  ref text not null,
  model text not null,
  -- The branch that the pull request goes to, and the job's own once it was pushed.
  base_branch text,
  branch text,
  pr_link text,
  -- Why the newest turn failed; null while the job is active, and where it did not. JSON, see FailureNote.
  failure text,
  created_at bigint not null,
  archived_at bigint,
  -- Of the last message or the last end of a turn.
  active_at bigint not null,
  -- Number of the newest event.
  last_event int not null default 0
);
create index jobs_by_project on jobs (project, id);
create index jobs_by_status on jobs (project, status, id);
create index jobs_at_rest on jobs (active_at) where status in ('completed', 'failed');

create table turns (
  job int not null references jobs (id) on delete cascade,
  number int not null,
  -- JSON.
  prompt text not null,
  phase text not null,
  attempt int not null default 0,
  created_at bigint not null,
  -- When it may be claimed: at once, after a pause, or when its lease runs out.
  due_at bigint not null,
  -- True while somebody works on it.
  leased boolean not null default false,
  -- Raised by every claim; whoever holds an older number has lost the turn.
  fence int not null default 0,
  -- JSON, see TurnRecord: what each phase found, of which the later counts. The branch in it stands beside it, too.
  record text[] not null default '{}',
  branch text,
  -- Where the next message of its conversation comes.
  next_message int not null default 0,
  -- The phase to which the job's next message takes a failed turn back, as its commit, or one before it, was not delivered.
  resumes_at text,
  -- What the turn's agent has used so far, over all its attempts.
  steps int not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  primary key (job, number)
);
create index turns_open on turns (created_at, job, number) where phase <> 'settled';
create index turns_leased on turns (due_at) where leased;
create index turns_to_resume on turns (job) where resumes_at is not null;

-- The transcript.
create table events (
  job int not null references jobs (id) on delete cascade,
  number int not null,
  turn int not null,
  at bigint not null,
  type text not null,
  -- JSON.
  data text not null,
  primary key (job, number)
);

-- The conversation with the model.
create table messages (
  job int not null references jobs (id) on delete cascade,
  turn int not null,
  position int not null,
  -- JSON.
  message text not null,
  primary key (job, turn, position)
);

-- Accepted requests of the last hour.
create table uses (
  project int not null references projects (id) on delete cascade,
  route text not null check (route in ('create', 'message')),
  at bigint not null
);
create index uses_by_time on uses (project, route, at);

-- Accepted requests of the last day that may be sent again.
create table idempotency_keys (
  project int not null references projects (id) on delete cascade,
  -- 'create', or 'message' and the job it went to.
  route text collate "C" not null,
  key text collate "C" not null,
  request_hash text not null,
  job int not null references jobs (id) on delete cascade,
  at bigint not null,
  primary key (project, route, key)
);
create index idempotency_keys_by_time on idempotency_keys (at);
create index idempotency_keys_by_job on idempotency_keys (job);

-- Whose turn it is among projects: the one with the lowest number waits the longest.
create table project_rounds (
  project int primary key references projects (id) on delete cascade,
  round bigint not null
);

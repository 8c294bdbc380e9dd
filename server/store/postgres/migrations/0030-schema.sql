-- All tables. Of databases that versions before the first release with PostgreSQL made, what they lack is added: each statement
-- leaves what is there already.

-- On Citus: all of it on one connection to each server.
set local citus.multi_shard_modify_mode to 'sequential';

-- What nodes hold in memory, each with a number that every change raises.
create table if not exists versions (
  what text primary key,
  version int not null
);
insert into versions values ('directory', 1), ('sessions', 0) on conflict do nothing;

create table if not exists projects (
  id int generated always as identity primary key,
  public_id text collate "C" not null unique,
  settings json not null,
  created_at text not null,
  -- Its visitors lie in as many shards; changes only with a day that nobody has opened.
  buckets int not null default 1,
  -- Days up to this one are sealed; null: none yet.
  sealed_through int,
  -- The directory's version that last changed it, as in the tables below.
  changed int not null
);
create index if not exists projects_by_change on projects (changed);

create table if not exists keys (
  id text collate "C" primary key,
  hash text not null unique,
  name text not null,
  scope text not null,
  project int references projects (id) on delete cascade,
  created_at text collate "C" not null,
  -- Day of the last use in UTC, YYYY-MM-DD; null: never.
  last_used_on text,
  changed int not null
);
create index if not exists keys_by_project on keys (project);
create index if not exists keys_by_change on keys (changed);

create table if not exists links (
  id text collate "C" primary key,
  project int not null references projects (id) on delete cascade,
  kind text not null check (kind in ('page', 'badge')),
  -- As it is: the dashboard shows the address again, and it opens only what stands in this database anyway.
  token text not null unique,
  created_at text collate "C" not null,
  changed int not null
);
create index if not exists links_by_project on links (project);
create index if not exists links_by_change on links (changed);

-- What is not in the directory any more, for nodes that still have it in memory.
create table if not exists removals (
  version int not null,
  what text not null check (what in ('project', 'key', 'link')),
  id text not null
);
create index if not exists removals_by_version on removals (version);

-- Encrypted before they come here.
create table if not exists secrets (
  project int not null references projects (id) on delete cascade,
  name text not null,
  sealed bytea not null,
  primary key (project, name)
);

-- By what the key is known that secrets and salts are encrypted with. No row: whoever opens the database next leaves it.
create table if not exists secret_key (
  id int primary key check (id = 1),
  instance text not null
);

create table if not exists administrator (
  id int primary key check (id = 1),
  -- How the password is checked; null: none has been set.
  password text,
  -- SHA-256 of the token of the one-time link; null: there is none.
  setup text,
  -- Milliseconds since 1970.
  setup_expires_at bigint
);
insert into administrator (id) values (1) on conflict do nothing;

create table if not exists sessions (
  -- SHA-256 of the token in the cookie.
  hash text primary key,
  -- Milliseconds since 1970.
  created_at bigint not null,
  used_at bigint not null
);

-- What counts stands by shard = (project + bucket) & 63, where bucket = visitor & (buckets - 1). All that one visitor was
-- seen on lies in one shard, so that the counts of the shards add up, also those of visitors.
--
-- Locks for the length of a transaction, to be taken in this order: names of a project (3, project), sealing and moving
-- of its counts (2, project), the project's row, a day's row (1, day), which batches share; partitions (6, 0).

alter table projects
  -- Days up to this one are not opened any more: they are sealed, or about to be.
  add column if not exists closed_through int,
  -- Number of the newest name. None is used again, as nodes remember names by their numbers.
  add column if not exists last_name int not null default 0,
  -- Raised when names are moved or deleted, so that nodes forget what they remember.
  add column if not exists name_changes int not null default 0,
  -- Only ever raised, as reports look for the shards of so many.
  drop constraint if exists buckets_are_bits,
  add constraint buckets_are_bits check (buckets in (1, 2, 4, 8, 16, 32, 64));

-- Days that still count: the row, and with it the salt, goes when the day is sealed.
create table if not exists days (
  id int generated always as identity primary key,
  project int not null references projects (id),
  day int not null,
  -- The partition of `seen` that has the day's visitors.
  bin int not null,
  buckets int not null,
  -- Null: no view is counted any more, and the day is about to be sealed.
  salt bytea,
  -- When the throw-away salt of a sealed day that an import counts on is forgotten, in milliseconds since 1970; null: the
  -- day is open as usual.
  forget_at bigint,
  unique (project, day)
);
create index if not exists days_of_bin on days (bin);

-- A text of 2 KB does not fit into an index. As the database is in UTF-8, this never changes.
create or replace function text_hash(text) returns bytea language sql immutable strict parallel safe
  as $$ select pg_catalog.sha256(pg_catalog.convert_to($1, 'UTF8')) $$;

-- Numbered by project, as a sighting has room for 29 bits of it.
create table if not exists names (
  project int not null,
  id int not null,
  what smallint not null,
  -- The AI client whose path this is; else 0.
  parent int not null,
  text text collate "C" not null,
  -- What a search looks in (server/counting/names/name-search.ts); null: that is the text itself.
  searchable text collate "C",
  primary key (project, id)
);
create unique index if not exists names_by_text on names (project, what, parent, text_hash(text));

-- Names first seen on an open day, by what they name, for the daily cap.
create table if not exists new_names (
  -- The day's row.
  day int not null,
  what smallint not null,
  names int not null,
  primary key (day, what)
);

-- How many of them somebody brought in: a visitor, a network (32 bits of a hash with the day's salt), or an AI client (its
-- name).
create table if not exists name_takers (
  day int not null,
  what smallint not null,
  kind text collate "C" not null,
  taker text collate "C" not null,
  names int not null,
  primary key (day, what, kind, taker)
);

-- Sums of a block of `span` days that begins with `day`: 1 day, and for sealed days 4, 16, 64 and 256. Nodes add to an open
-- day in slots, so that they do not wait for each other; sealing leaves slot 0 alone.
create table if not exists counts (
  shard int not null,
  project int not null,
  day int not null,
  parent int not null,
  name int not null,
  span smallint not null,
  what smallint not null,
  slot smallint not null,
  human_visitors bigint not null,
  ai_visitors bigint not null,
  visitors bigint not null,
  human_views bigint not null,
  ai_views bigint not null,
  primary key (shard, project, span, day, what, parent, name, slot)
) with (fillfactor = 70);

create table if not exists dropped (
  shard int not null,
  project int not null,
  day int not null,
  slot smallint not null,
  reason text collate "C" not null,
  family text collate "C" not null,
  hits bigint not null,
  primary key (shard, project, day, reason, family, slot)
) with (fillfactor = 50);

-- Views that counted under (other), as no new name was taken in any more: by what they name, by whose part of the day's
-- names was used up (day, visitor, network, client), by the kind of view (1 human, 2 ai) and the AI client; '': none.
create table if not exists name_caps (
  shard int not null,
  project int not null,
  day int not null,
  what smallint not null,
  kind smallint not null,
  slot smallint not null,
  cap text collate "C" not null,
  client text collate "C" not null,
  views bigint not null,
  primary key (shard, project, day, what, cap, kind, client, slot)
) with (fillfactor = 50);

-- Who was seen on what: a row for each visitor of a day, with names and kinds (1 human, 2 ai) as numbers, name * 4 + kind.
-- Name 0 is the site. `was`: how many there were before the last change.
create table if not exists seen (
  shard int not null,
  bin int not null,
  -- The day's row.
  day int not null,
  was int not null default 0,
  visitor bigint not null,
  sightings int[] not null,
  primary key (shard, bin, day, visitor)
) partition by list (bin);

-- Batches of the last hours, so that one that is repeated is not counted again. Four partitions take turns, an hour each; one
-- is emptied before it is used again.
create table if not exists batches (
  shard int not null,
  turn smallint not null,
  id uuid not null,
  -- Rows of days of which it counted nothing, as they were closed.
  refused int[],
  at timestamptz not null default now(),
  primary key (shard, turn, id)
) partition by list (turn);

create table if not exists batches_0 partition of batches for values in (0);

create table if not exists batches_1 partition of batches for values in (1);

create table if not exists batches_2 partition of batches for values in (2);

create table if not exists batches_3 partition of batches for values in (3);

-- Text that people and models write is kept as JSON, as a text in PostgreSQL holds no character U+0000.
create table if not exists jobs (
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
create index if not exists jobs_by_project on jobs (project, id);
create index if not exists jobs_by_status on jobs (project, status, id);
create index if not exists jobs_at_rest on jobs (active_at) where status in ('completed', 'failed');

create table if not exists turns (
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
create index if not exists turns_open on turns (created_at, job, number) where phase <> 'settled';
create index if not exists turns_leased on turns (due_at) where leased;
create index if not exists turns_to_resume on turns (job) where resumes_at is not null;

-- The transcript.
create table if not exists events (
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
create table if not exists messages (
  job int not null references jobs (id) on delete cascade,
  turn int not null,
  position int not null,
  -- JSON.
  message text not null,
  primary key (job, turn, position)
);

-- Accepted requests of the last hour.
create table if not exists uses (
  project int not null references projects (id) on delete cascade,
  route text not null check (route in ('create', 'message')),
  at bigint not null
);
create index if not exists uses_by_time on uses (project, route, at);

-- Accepted requests of the last day that may be sent again.
create table if not exists idempotency_keys (
  project int not null references projects (id) on delete cascade,
  -- 'create', or 'message' and the job it went to.
  route text collate "C" not null,
  key text collate "C" not null,
  request_hash text not null,
  job int not null references jobs (id) on delete cascade,
  at bigint not null,
  primary key (project, route, key)
);
create index if not exists idempotency_keys_by_time on idempotency_keys (at);
create index if not exists idempotency_keys_by_job on idempotency_keys (job);

-- Whose turn it is among projects: the one with the lowest number waits the longest.
create table if not exists project_rounds (
  project int primary key references projects (id) on delete cascade,
  round bigint not null
);

-- Access logs that were taken in, known by how their content begins, and how far each of them is counted.
--
-- Lock for the length of a transaction: logs of a project (7, project), before those of its counts.
create table if not exists logs (
  id int generated always as identity primary key,
  project int not null references projects (id) on delete cascade,
  -- SHA-256 of the first so many bytes of the content, which a grown, renamed or packed log shares.
  head_length int not null,
  head_hash bytea not null,
  bytes bigint not null,
  lines bigint not null
);
create index if not exists logs_by_project on logs (project);

-- What logs brought to a day, so that it can be told from what came another way.
create table if not exists imported_days (
  project int not null references projects (id) on delete cascade,
  day int not null,
  human_views bigint not null,
  ai_views bigint not null,
  -- Milliseconds since 1970 of the latest line that was counted.
  last_at bigint not null,
  primary key (project, day)
);

-- Batches of hits that were counted and may be sent again under their key. Key and request are hashes.
create table if not exists receipts (
  project int not null references projects (id) on delete cascade,
  key text collate "C" not null,
  request_hash text not null,
  -- JSON: its hits that were not counted.
  dropped text not null,
  -- Milliseconds since 1970.
  at bigint not null,
  primary key (project, key)
);
create index if not exists receipts_by_time on receipts (at);

-- Views that a page and a report may both tell of: how many more reports than pages told of it lately.
create table if not exists pairs (
  -- Hash of project, visitor and path.
  view text collate "C" primary key,
  balance int not null,
  at bigint not null
);
create index if not exists pairs_by_time on pairs (at);

-- Signatures that were seen, each good for one request: a hash of signer, key and nonce.
create table if not exists nonces (
  nonce text collate "C" primary key,
  at bigint not null
);
create index if not exists nonces_by_time on nonces (at);

-- Wrong passwords by the network that they came from, a keyed hash; '': from all together, since `at`.
create table if not exists guesses (
  network text collate "C" primary key,
  count int not null,
  -- Milliseconds since 1970, of the last one.
  at bigint not null
);

-- Networks that somebody signed in from.
create table if not exists known_networks (
  network text collate "C" primary key,
  at bigint not null
);

-- Who had a view lately, with its last one of a kind (1 human, 2 ai). A node writes to the partition of the minute, and
-- whole ones are emptied, so that nothing of it stays in files. Unlogged: no log, standby or archive gets it, and after a
-- crash it begins anew.
create table if not exists recent (
  turn smallint not null,
  project int not null,
  visitor bigint not null,
  kind smallint not null,
  -- Milliseconds since 1970, by the clock that all nodes share.
  at bigint not null,
  primary key (turn, project, visitor, kind)
) partition by list (turn);

create unlogged table if not exists recent_0 partition of recent for values in (0);

create unlogged table if not exists recent_1 partition of recent for values in (1);

create unlogged table if not exists recent_2 partition of recent for values in (2);

create unlogged table if not exists recent_3 partition of recent for values in (3);

create unlogged table if not exists recent_4 partition of recent for values in (4);

create unlogged table if not exists recent_5 partition of recent for values in (5);

create unlogged table if not exists recent_6 partition of recent for values in (6);

create unlogged table if not exists recent_7 partition of recent for values in (7);

-- Lists of addresses that operators of AI clients publish, as the node that fetched them last wrote them.
create table if not exists range_copies (
  feed text collate "C" primary key,
  -- Milliseconds since 1970.
  as_of bigint not null,
  -- JSON.
  text text not null
);

-- Which node fetches them, and until when nobody else does, in milliseconds since 1970.
create table if not exists range_refresh (
  node text collate "C" not null,
  until bigint not null
);
insert into range_refresh select '', 0 where not exists (select from range_refresh);

-- One row while an installation is being moved here: what is there is not whole yet, and no server may use it.
create table if not exists moving (
  begun_at timestamptz not null default now()
);

-- Sums by day that are no views (shared/tallies.ts): how often, and what is added up besides. A path of the site is a name.
create table if not exists tallies (
  shard int not null,
  project int not null,
  day int not null,
  -- Its number.
  tally smallint not null,
  slot smallint not null,
  -- Fields with tabs between them, such as AI client and status.
  subject text collate "C" not null,
  -- Empty: there is none.
  name text collate "C" not null,
  hits bigint not null,
  amount bigint not null,
  primary key (shard, project, tally, day, subject, name, slot)
) with (fillfactor = 50);

-- When a project's site is to be looked at again, in milliseconds since 1970, when it last was (null: never to the end), and
-- what could not be read then.
create table if not exists site_looks (
  project int primary key references projects (id) on delete cascade,
  host text collate "C" not null,
  due_at bigint not null,
  fetched_at bigint,
  trouble text not null default ''
);

-- What is known of a site's robots.txt from a moment on, in milliseconds since 1970.
create table if not exists robots (
  project int not null references projects (id) on delete cascade,
  known_at bigint not null,
  host text collate "C" not null,
  status text collate "C" not null check (status in ('found', 'missing', 'unreachable')),
  text text not null,
  primary key (project, known_at)
);
create index if not exists robots_by_time on robots (known_at);

-- The pages that a site's sitemaps list, as JSON.
create table if not exists sitemaps (
  project int primary key references projects (id) on delete cascade,
  host text collate "C" not null,
  fetched_at bigint not null,
  pages text not null
);

-- What happened to a site on a day: a release that its owner marks, or a merged pull request of a job.
create table if not exists marks (
  project int not null references projects (id) on delete cascade,
  id text collate "C" not null,
  day int not null,
  -- release, merge
  kind text not null,
  text text not null,
  -- JSON: paths of the site, or files of the repository.
  touched text not null,
  url text,
  -- Milliseconds since 1970.
  created_at bigint not null,
  primary key (project, id)
);

-- Versions of the rules by which views of a day were judged.
create table if not exists rule_days (
  project int not null references projects (id) on delete cascade,
  day int not null,
  version int not null,
  primary key (project, day, version)
);

-- What batches add to `counts` is appended first, as it comes, and added up later for many batches at once: a view adds to a
-- dozen names, and hardly two views of a batch to the same. The two tables together are the truth. Only of days that are open,
-- as whoever closes a day, or moves or deletes names of it, has all of it added up before (`await_batches`).
create table if not exists pending_counts (
  shard int not null,
  project int not null,
  day int not null,
  -- How many numbers the two lists have.
  size int not null,
  at timestamptz not null default now(),
  -- Views of a name, as bits: 29 of its number, 17 of people's, 17 of AI clients'.
  views bigint[] not null,
  -- What a visitor was not seen on before: name * 4 + kind, as in `seen`. With all bits turned where it had been seen on it as
  -- the other kind, so that it is no further visitor.
  sightings int[] not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index if not exists pending_counts_of_project on pending_counts (shard, project);

-- Views of open days, as rows that batches append: whose, and when of which path. From them come the pages on which visits
-- began and ended; deleted with the day.
create table if not exists visit_views (
  shard int not null,
  -- As in `seen`.
  day int not null,
  human_views int not null,
  ai_views int not null,
  visitors bigint[] not null,
  -- As bits: 28 of the moment, 29 of the path's number, 2 of the kind.
  views bigint[] not null
);
create index if not exists visit_views_by_day on visit_views (day);

-- What was told of a project, so that it is told once.
create table if not exists told (
  project int not null references projects (id) on delete cascade,
  -- Such as `digest weekly 2026-11-16`.
  key text collate "C" not null,
  -- Milliseconds since 1970.
  at bigint not null,
  primary key (project, key)
);

-- What is sent to one receiver, or was.
create table if not exists deliveries (
  id text collate "C" primary key,
  project int not null references projects (id) on delete cascade,
  kind text not null,
  title text not null,
  -- mail, webhook
  channel text not null,
  -- The address of a mail; empty for a webhook.
  receiver text collate "C" not null,
  -- JSON; empty once nothing is sent any more.
  letter text not null,
  created_at bigint not null,
  attempts int not null,
  -- When it is tried, or tried again; null: it never is again.
  due_at bigint,
  sent_at bigint,
  -- Why it was not sent when that was last tried.
  trouble text
);
create index if not exists deliveries_by_project on deliveries (project, created_at);
create index if not exists deliveries_by_due on deliveries (due_at) where due_at is not null;

-- Where the views came from, in their order, of projects that have goals: 29 bits of the source's number, 29 of the country's;
-- 0: none. Such a project has events among its views, too: of the kind 0, and with the event in place of the path.
alter table visit_views add column if not exists origins bigint[];

-- Who signs in with a name of their own.
create table if not exists users (
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
create table if not exists roles (
  user_id text collate "C" not null references users (id) on delete cascade,
  -- Null: all projects, later ones included.
  project int references projects (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'owner'))
);
create unique index if not exists roles_by_user on roles (user_id, coalesce(project, 0));
create index if not exists roles_by_project on roles (project);

-- Beside those of the administrator, for which a node of the release before takes whatever stands in their table.
create table if not exists user_sessions (
  -- SHA-256 of the token in the cookie.
  hash text primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  -- Milliseconds since 1970.
  created_at bigint not null,
  used_at bigint not null
);
create index if not exists user_sessions_by_user on user_sessions (user_id, used_at);

-- Who changed what. Projects, users and keys by what they were called then, as they may be gone.
create table if not exists audit (
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
create index if not exists audit_by_time on audit (at);
create index if not exists audit_by_project on audit (project_id, at);

-- What the turn's agent cost so far, in millionths of a dollar; null: nobody knows.
alter table turns add column if not exists cost bigint;

-- What accounts ask for besides the password.
create table if not exists second_factors (
  -- Null: the administrator's.
  user_id text collate "C" references users (id) on delete cascade,
  -- What codes are made of, encrypted.
  secret bytea not null,
  -- Of the last code that was accepted.
  last_step bigint not null,
  -- JSON list of the SHA-256 of those that nobody has used.
  recovery_codes text not null
);
create unique index if not exists second_factors_by_user on second_factors (coalesce(user_id, ''));

-- Accounts at providers that users sign in by.
create table if not exists sign_ons (
  issuer text collate "C" not null,
  -- How the provider calls the account.
  subject text collate "C" not null,
  user_id text collate "C" not null references users (id) on delete cascade,
  primary key (issuer, subject)
);
create unique index if not exists sign_ons_by_user on sign_ons (user_id, issuer);

-- What search engines tell of a site, as it was imported: no count has it.
create table if not exists search_numbers (
  project int not null references projects (id) on delete cascade,
  -- search-console, bing, bing-ai
  tool text collate "C" not null,
  -- site, page, query, country, device
  kind text collate "C" not null,
  -- The same day, or a range that is told as a whole, both ends inclusive.
  first_day int not null,
  last_day int not null,
  -- Empty: the site.
  name text collate "C" not null,
  clicks bigint not null,
  impressions bigint not null,
  -- Hundredths, added up over impressions; null: not told.
  positions bigint,
  citations bigint not null,
  -- Cited pages of the site on a day; null: not told.
  pages bigint,
  primary key (project, tool, kind, last_day, first_day, name)
);

-- What starts jobs by itself.
create table if not exists automations (
  project int not null references projects (id) on delete cascade,
  id text collate "C" not null,
  -- JSON, see AutomationSettings.
  settings text not null,
  -- Milliseconds since 1970.
  created_at bigint not null,
  -- Null: it is off.
  on_since bigint,
  primary key (project, id)
);

-- What it did at one time, or about one thing.
create table if not exists automation_runs (
  project int not null,
  automation text collate "C" not null,
  -- Such as `2026-11-23`, or a path.
  key text collate "C" not null,
  at bigint not null,
  -- The public id; null: none was started.
  job text collate "C",
  -- Why none was.
  reason text,
  primary key (project, automation, key),
  foreign key (project, automation) references automations (project, id) on delete cascade
);
create index if not exists automation_runs_by_time on automation_runs (project, automation, at);

-- JSON, see Starter; null: a person or a program asked for it.
alter table jobs add column if not exists started_by text;

-- What was made of comments and failed checks at the pull requests of jobs, so that each is worked off once.
create table if not exists heard_comments (
  job int not null references jobs (id) on delete cascade,
  -- As the code host names it, with what kind it is of.
  key text collate "C" not null,
  state text not null check (state in ('heard', 'ignored', 'limited', 'spent', 'answered')),
  primary key (job, key)
);

-- The catalogue of AI clients that was loaded last, as it was signed. It lay among the lists of addresses.
create table if not exists loaded_catalogue (
  id int primary key check (id = 1),
  version int not null,
  signed text not null
);
insert into loaded_catalogue (id, version, signed)
  select 1, as_of::int, text from range_copies where feed = 'catalogue'
  on conflict do nothing;

delete from range_copies where feed = 'catalogue';

-- What came with a prompt besides its words.
create table if not exists job_images (
  job int not null references jobs (id) on delete cascade,
  -- From 1, over all messages of the job.
  number int not null,
  turn int not null,
  name text not null,
  -- Such as `image/png`, told by its content.
  type text not null,
  content bytea not null,
  primary key (job, number)
);

-- The address of the merged pull request that a job takes back; null: it was asked for something else.
alter table jobs add column if not exists reverts text;

-- Of each at most one does so.
create unique index if not exists jobs_reverting on jobs (project, reverts) where reverts is not null and status <> 'archived';

-- By the address of their pull request it is known which jobs were merged.
create index if not exists marks_by_url on marks (project, url) where url is not null;

-- All kinds of a visitor's sightings, as bits, and perhaps more; null: not known. Of one that only ever was of one kind nothing
-- is looked for under the other.
alter table seen add column if not exists kinds smallint;

alter table keys
  drop constraint if exists keys_scope_check,
  add constraint keys_scope_check check (scope in ('admin', 'jobs', 'read', 'ingest')),
  -- Null: it has no end.
  add column if not exists expires_at text,
  -- JSON list of addresses and ranges that it may be used from; an empty one: from anywhere.
  add column if not exists networks text not null default '[]',
  -- Who made it, as in the audit list; null: not known. With a key, those that it made are revoked.
  add column if not exists maker_kind text,
  add column if not exists maker_id text collate "C",
  add column if not exists maker_name text;

-- What an import needs so that it can be taken back, and so that lines that were not counted can be imported again.

-- The file as it was named when it was last read, and when that was, in milliseconds since 1970; null: before this was kept.
alter table logs add column if not exists name text not null default '';

alter table logs add column if not exists counted_at bigint;

-- Lines of a log that were read and may still be counted, as bits: 65,536 lines a row, without the zeros at the end.
create table if not exists open_lines (
  log int not null references logs (id) on delete cascade,
  chunk int not null,
  bits bytea not null,
  primary key (log, chunk)
);

-- What a log added to a day, a row for each batch; only of logs that were counted from their start since this is kept.
create table if not exists log_days (
  id bigint generated always as identity primary key,
  log int not null references logs (id) on delete cascade,
  day int not null,
  human_views bigint not null,
  ai_views bigint not null,
  last_at bigint not null,
  -- Views by name, as `server/store/counts/import-record.ts` packs them.
  sums bytea not null default '',
  -- What else it added to, as JSON: dropped hits, tallies, and views beyond the limit of names.
  besides text not null
);
create index if not exists log_days_of_log on log_days (log, day);

-- The log that the views of a batch come from; null: they came another way. An import sets it for its transaction.
-- In one statement: Citus takes no change of a default beside others.
alter table visit_views add column if not exists log int default nullif(current_setting('headcount.log', true), '')::int;

-- When a log began to be taken back; null: it is imported.
alter table logs add column if not exists undone_at bigint;

do $$ begin
  -- Of schema 29.
  if exists (select from pg_attribute where attrelid = 'log_days'::regclass and attname = 'sums' and atttypid = 'int[]'::regtype)
  then
    alter table log_days drop column sums, add column sums bytea not null default '', alter column besides type text;
  end if;
end $$;

-- While the day is active, as JSON, the visitors that a batch counted and what they counted under; with the row of the day.
alter table log_days add column if not exists visitors text, add column if not exists day_id int;
create index if not exists log_days_with_visitors on log_days (day_id) where day_id is not null;

-- Where the extension Citus is, tables of shards are distributed over the servers of its cluster: all of a shard is on one of
-- them, which a batch or a report asks alone. What is not distributed here is on the coordinator, which nodes ask.
--
-- What a statement selects from `shards` by its number runs where that shard is, wherever Citus moves it: so an insert of rows
-- that come as parameters is one of that server alone, on its own tables.
do $$
declare
  v_table text;
begin
  if not exists (select from pg_extension where extname = 'citus') then return; end if;
  if to_regclass('shards') is null then
    create table shards (shard int primary key);
    perform create_distributed_table('shards', 'shard');
    insert into shards select generate_series(0, 63);
    perform create_reference_table('names');

    -- What batches ask of projects, and of days while they are open: on each server. The tables themselves stay where they are,
    -- as others refer to them and their rows are locked one by one; of a table on each server one row is changed at a time.
    create table batch_projects (
      id int primary key,
      buckets int not null,
      name_changes int not null
    );
    create table batch_days (
      id int primary key,
      project int not null
    );
    perform create_reference_table('batch_projects');
    perform create_reference_table('batch_days');
    insert into batch_projects select id, buckets, name_changes from projects;
    insert into batch_days select id, project from days where salt is not null;
  end if;
  foreach v_table in array array['counts', 'dropped', 'name_caps', 'tallies', 'seen', 'batches', 'pending_counts', 'visit_views'] loop
    if not exists (select from pg_dist_partition where logicalrelid = v_table::regclass) then
      perform create_distributed_table(v_table, 'shard', colocate_with => 'shards');
    end if;
  end loop;
end $$;

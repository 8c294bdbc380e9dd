-- Batches of hits that were counted and may be sent again under their key. Key and request are hashes.
create table receipts (
  project int not null references projects (id) on delete cascade,
  key text collate "C" not null,
  request_hash text not null,
  -- JSON: its hits that were not counted.
  dropped text not null,
  -- Milliseconds since 1970.
  at bigint not null,
  primary key (project, key)
);
create index receipts_by_time on receipts (at);

-- Views that a page and a report may both tell of: how many more reports than pages told of it lately.
create table pairs (
  -- Hash of project, visitor and path.
  view text collate "C" primary key,
  balance int not null,
  at bigint not null
);
create index pairs_by_time on pairs (at);

-- Signatures that were seen, each good for one request: a hash of signer, key and nonce.
create table nonces (
  nonce text collate "C" primary key,
  at bigint not null
);
create index nonces_by_time on nonces (at);

-- Notes tellings of views, 1 by a report and -1 by the page. Answers the places of those that are the second of their view.
create function note_tellings(p_views text[], p_steps int[], p_now bigint, p_window bigint) returns int[] language plpgsql as $$
declare
  v_telling record;
  v_balance int;
  v_second int[] := '{}';
begin
  -- In one order, so that transactions wait for each other in one direction only.
  for v_telling in
    select view, step, place from unnest(p_views, p_steps) with ordinality as x(view, step, place) order by view, place
  loop
    insert into pairs as p (view, balance, at) values (v_telling.view, v_telling.step, p_now)
    on conflict (view) do update set
      balance = case when p.at <= p_now - p_window then 0 else p.balance end + excluded.balance,
      at = excluded.at
    returning balance into v_balance;
    if (v_balance - v_telling.step) * v_telling.step < 0 then
      v_second := v_second || v_telling.place::int;
    end if;
  end loop;
  return v_second;
end $$;

-- Answers the places of those that were used before.
create function use_nonces(p_nonces text[], p_now bigint) returns int[] language plpgsql as $$
declare
  v_nonce record;
  v_used int[] := '{}';
begin
  for v_nonce in
    select nonce, place from unnest(p_nonces) with ordinality as x(nonce, place) order by nonce, place
  loop
    insert into nonces values (v_nonce.nonce, p_now) on conflict do nothing;
    if not found then v_used := v_used || v_nonce.place::int; end if;
  end loop;
  return v_used;
end $$;

-- Deletes what is too old: receipts before a moment, and of the others what was not changed for so long. Answers how many
-- receipts.
create function forget_claims(p_receipts bigint, p_now bigint, p_tellings bigint, p_nonces bigint, p_most int)
returns int language plpgsql as $$
declare
  v_now bigint := store_clock(p_now);
  v_forgotten int;
begin
  -- Nobody waits for another node that is about it.
  delete from pairs where view in (
    select view from pairs where at <= v_now - p_tellings order by at limit p_most for update skip locked
  );
  delete from nonces where nonce in (
    select nonce from nonces where at <= v_now - p_nonces order by at limit p_most for update skip locked
  );
  delete from receipts where (project, key) in (
    select project, key from receipts where at <= p_receipts order by at limit p_most for update skip locked
  );
  get diagnostics v_forgotten = row_count;
  return v_forgotten;
end $$;

-- Wrong passwords by the network that they came from, a keyed hash; '': from all together, since `at`.
create table guesses (
  network text collate "C" primary key,
  count int not null,
  -- Milliseconds since 1970, of the last one.
  at bigint not null
);

-- Networks that somebody signed in from.
create table known_networks (
  network text collate "C" primary key,
  at bigint not null
);

-- Who had a view lately, with its last one of a kind (1 human, 2 ai). A node writes to the partition of the minute, and
-- whole ones are emptied, so that nothing of it stays in files. Unlogged: no log, standby or archive gets it, and after a
-- crash it begins anew.
create table recent (
  turn smallint not null,
  project int not null,
  visitor bigint not null,
  kind smallint not null,
  -- Milliseconds since 1970, by the clock that all nodes share.
  at bigint not null,
  primary key (turn, project, visitor, kind)
) partition by list (turn);
create unlogged table recent_0 partition of recent for values in (0);
create unlogged table recent_1 partition of recent for values in (1);
create unlogged table recent_2 partition of recent for values in (2);
create unlogged table recent_3 partition of recent for values in (3);
create unlogged table recent_4 partition of recent for values in (4);
create unlogged table recent_5 partition of recent for values in (5);
create unlogged table recent_6 partition of recent for values in (6);
create unlogged table recent_7 partition of recent for values in (7);

create function recent_turn(p_now bigint) returns int language sql immutable
  as $$ select (p_now / 60000)::int & 7 $$;

create function note_recent(p_projects text[], p_visitors bigint[], p_kinds int[], p_ago int[], p_now bigint)
returns void language plpgsql as $$
declare
  v_now bigint := store_clock(p_now);
begin
  insert into recent as r (turn, project, visitor, kind, at)
  select recent_turn(v_now), p.id, x.visitor, x.kind, max(v_now - x.ago)
  from unnest(p_projects, p_visitors, p_kinds, p_ago) as x(project, visitor, kind, ago)
    join projects p on p.public_id = x.project
  group by p.id, x.visitor, x.kind
  -- In one order, so that nodes wait for each other in one direction only.
  order by p.id, x.visitor, x.kind
  on conflict (turn, project, visitor, kind) do update set at = excluded.at where r.at < excluded.at;
end $$;

-- Deletes what is older than the window.
create function forget_recent(p_now bigint, p_window bigint) returns void language plpgsql set lock_timeout = '500ms' as $$
declare
  v_now bigint := store_clock(p_now);
  -- Written to now, and soon.
  v_used int[] := array[recent_turn(v_now), recent_turn(v_now + 60000)];
  v_is_over boolean;
begin
  if not pg_try_advisory_xact_lock(9, 0) then return; end if;
  delete from recent where turn = any (v_used) and at <= v_now - p_window;
  for v_turn in 0..7 loop
    continue when v_turn = any (v_used);
    execute format('select exists (select from recent_%1$s) and not exists (select from recent_%1$s where at > $1)', v_turn)
      into v_is_over using v_now - p_window;
    if v_is_over then execute format('truncate recent_%s', v_turn); end if;
  end loop;
exception when lock_not_available then null;
end $$;

-- Lists of addresses that operators of AI clients publish, as the node that fetched them last wrote them.
create table range_copies (
  feed text collate "C" primary key,
  -- Milliseconds since 1970.
  as_of bigint not null,
  -- JSON.
  text text not null
);

-- Which node fetches them, and until when nobody else does, in milliseconds since 1970.
create table range_refresh (
  node text collate "C" not null,
  until bigint not null
);
insert into range_refresh values ('', 0);

-- What counts stands by shard = (project + bucket) & 63, where bucket = visitor & (buckets - 1). All that one visitor was
-- seen on lies in one shard, so that the counts of the shards add up, also those of visitors.
--
-- Locks for the length of a transaction, to be taken in this order: names of a project (3, project), sealing and moving
-- of its counts (2, project), the project's row, a day's row (1, day), which batches share; partitions (6, 0).

alter table projects
  -- Days up to this one are not opened any more: they are sealed, or about to be.
  add column closed_through int,
  -- Number of the newest name. None is used again, as nodes remember names by their numbers.
  add column last_name int not null default 0,
  -- Raised when names are moved or deleted, so that nodes forget what they remember.
  add column name_changes int not null default 0,
  -- Only ever raised, as reports look for the shards of so many.
  add constraint buckets_are_bits check (buckets in (1, 2, 4, 8, 16, 32, 64));

-- Days that still count: the row, and with it the salt, goes when the day is sealed.
create table days (
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
create index days_of_bin on days (bin);

-- A text of 2 KB does not fit into an index. As the database is in UTF-8, this never changes.
create function text_hash(text) returns bytea language sql immutable strict parallel safe
  as $$ select pg_catalog.sha256(pg_catalog.convert_to($1, 'UTF8')) $$;

-- Numbered by project, as a sighting has room for 29 bits of it.
create table names (
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
create unique index names_by_text on names (project, what, parent, text_hash(text));

-- Names first seen on an open day, by what they name, for the daily cap.
create table new_names (
  -- The day's row.
  day int not null,
  what smallint not null,
  names int not null,
  primary key (day, what)
);

-- How many of them somebody brought in: a visitor, a network (32 bits of a hash with the day's salt), or an AI client (its
-- name).
create table name_takers (
  day int not null,
  what smallint not null,
  kind text collate "C" not null,
  taker text collate "C" not null,
  names int not null,
  primary key (day, what, kind, taker)
);

-- Sums of a block of `span` days that begins with `day`: 1 day, and for sealed days 4, 16, 64 and 256. Nodes add to an open
-- day in slots, so that they do not wait for each other; sealing leaves slot 0 alone.
create table counts (
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

create table dropped (
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
create table name_caps (
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
create table seen (
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
create table batches (
  shard int not null,
  turn smallint not null,
  id uuid not null,
  -- Rows of days of which it counted nothing, as they were closed.
  refused int[],
  at timestamptz not null default now(),
  primary key (shard, turn, id)
) partition by list (turn);
create table batches_0 partition of batches for values in (0);
create table batches_1 partition of batches for values in (1);
create table batches_2 partition of batches for values in (2);
create table batches_3 partition of batches for values in (3);

-- Today's date as a day, by the clock that all nodes share.
create function today() returns int language sql stable
  as $$ select (now() at time zone 'UTC')::date - date '1970-01-01' $$;

-- A live day has the partition of its date, which all projects share. Other days, which imports open, have that of the date
-- on which they are opened.
create function bin_of(p_day int) returns int language sql stable
  as $$ select case when abs(p_day - today()) <= 3 then p_day else -today() end $$;

create function bin_table(p_bin int) returns text language sql immutable
  as $$ select case when p_bin < 0 then 'seen_opened_' || -p_bin else 'seen_' || p_bin end $$;

create function has_bin(p_bin int) returns boolean language sql stable as $$
  select exists (
    select from pg_inherits join pg_class on oid = inhrelid where inhparent = 'seen'::regclass and relname = bin_table(p_bin)
  )
$$;

create function make_bin(p_bin int) returns void language plpgsql as $$
begin
  if has_bin(p_bin) then return; end if;
  perform pg_advisory_xact_lock(6, 0);
  if has_bin(p_bin) then return; end if;
  -- Attached and not made as a partition, which would wait for batches, and have them wait.
  execute format('create table %I (like seen including defaults) with (fillfactor = 75)', bin_table(p_bin));
  execute format('alter table seen attach partition %I for values in (%s)', bin_table(p_bin), p_bin);
end $$;

-- Makes the partitions of the days to come, and drops those that no day has any more; batches wait for that no longer than
-- the time that it waits for them.
create function tidy_bins() returns void language plpgsql set lock_timeout = '500ms' as $$
declare
  v_bin int;
begin
  for v_bin in select generate_series(today() - 1, today() + 2) loop
    perform make_bin(v_bin);
  end loop;
  if not pg_try_advisory_xact_lock(6, 0) then return; end if;
  for v_bin in
    select case when relname like 'seen\_opened\_%' then -substr(relname, 13)::int else substr(relname, 6)::int end
    from pg_inherits join pg_class on oid = inhrelid where inhparent = 'seen'::regclass order by 1
  loop
    continue when v_bin between today() - 1 and today() + 2 or exists (select from days where bin = v_bin);
    begin
      execute format('drop table %I', bin_table(v_bin));
    exception when lock_not_available then null;
    end;
  end loop;
end $$;

-- The turn before last is long over when its partition is used again.
create function tidy_batches() returns void language plpgsql set lock_timeout = '500ms' as $$
declare
  v_next int := (batch_turn() + 1) & 3;
begin
  if not pg_try_advisory_xact_lock(6, 1) then return; end if;
  if exists (select 1 from batches where turn = v_next)
    and not exists (select 1 from batches where turn = v_next and at > now() - interval '90 minutes') then
    execute format('truncate batches_%s', v_next);
  end if;
exception when lock_not_available then null;
end $$;

create function batch_turn() returns int language sql stable
  as $$ select (extract(epoch from now())::bigint / 3600)::int & 3 $$;

-- Opens a day for live hits, or (with p_forget_at) any day for an import. `state`: open; none: no such project; closed: `day` is
-- the first that can be open; ending: it is being closed; unmade: its partition has to be made first.
create function open_day(p_project text, p_day int, p_salt bytea, p_forget_at bigint)
returns table (state text, id int, day int, salt bytea) language plpgsql as $$
declare
  v_project projects;
  v_bin int := bin_of(p_day);
  v_is_sealed boolean;
begin
  return query
    select 'open', d.id, d.day, d.salt from days d join projects p on p.id = d.project
    where p.public_id = p_project and d.day = p_day and d.salt is not null and (d.forget_at is null or p_forget_at is not null);
  if found then return; end if;
  -- Whoever closes days changes this row.
  select * into v_project from projects where public_id = p_project for share;
  v_is_sealed := coalesce(p_day <= v_project.sealed_through, false);
  if v_project.id is null then
    return query select 'none', null::int, null::int, null::bytea;
  elsif p_forget_at is null and p_day <= v_project.closed_through then
    return query select 'closed', null::int, v_project.closed_through + 1, null::bytea;
  elsif p_day <= v_project.closed_through and not v_is_sealed then
    return query select 'ending', null::int, v_project.closed_through, null::bytea;
  else
    perform pg_advisory_xact_lock_shared(6, 0);
    if not has_bin(v_bin) then
      return query select 'unmade', null::int, v_bin, null::bytea;
    else
      insert into days as d (project, day, bin, buckets, salt, forget_at)
      values (v_project.id, p_day, v_bin, v_project.buckets, p_salt, case when v_is_sealed then p_forget_at end)
      on conflict do nothing;
      return query select 'open', d.id, d.day, d.salt from days d where d.project = v_project.id and d.day = p_day;
    end if;
  end if;
end $$;

-- Waits for the batches that saw the salts of these days before they were taken away.
create function await_batches(p_days int[]) returns void language sql as $$
  select pg_advisory_xact_lock(1, x) from unnest(p_days) x order by x
$$;

-- Deletes the rows of closed days. Their visitors go with the partitions that they are in.
create function forget_days(p_days int[]) returns void language sql as $$
  delete from new_names where day = any (p_days);
  delete from name_takers where day = any (p_days);
  delete from days where id = any (p_days);
$$;

-- From here on no view is counted on the project's days up to this one, and none of them is opened. Answers those that are
-- to be sealed, also what an earlier call left behind.
create function close_days(p_project text, p_through int)
returns table (id int, day int) language plpgsql as $$
declare
  v_project int := (select p.id from projects p where p.public_id = p_project);
begin
  perform pg_advisory_xact_lock(2, v_project);
  update projects p set closed_through = p_through where p.id = v_project and coalesce(p.closed_through < p_through, true);
  update days d set salt = null where d.project = v_project and d.day <= p_through and d.forget_at is null and d.salt is not null;
  return query select d.id, d.day from days d
    where d.project = v_project and d.day <= p_through and d.forget_at is null order by d.day;
end $$;

-- Adds up the slots of days in a shard, and adds them to larger blocks, of which each row is the day, span and start.
create function seal_shard(p_shard int, p_project int, p_days int[], b_days int[], b_spans int[], b_starts int[])
returns void language plpgsql set jit = off as $$
begin
  insert into counts as c (shard, project, span, day, what, parent, name, slot,
    human_visitors, ai_visitors, visitors, human_views, ai_views)
  select shard, project, span, day, what, parent, name, 0,
    sum(human_visitors), sum(ai_visitors), sum(visitors), sum(human_views), sum(ai_views)
  from counts o
  where shard = p_shard and project = p_project and span = 1 and day = any (p_days) and slot <> 0
  group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, span, day, what, parent, name, slot) do update set
    human_visitors = c.human_visitors + excluded.human_visitors,
    ai_visitors = c.ai_visitors + excluded.ai_visitors,
    visitors = c.visitors + excluded.visitors,
    human_views = c.human_views + excluded.human_views,
    ai_views = c.ai_views + excluded.ai_views;
  delete from counts
  where shard = p_shard and project = p_project and span = 1 and day = any (p_days) and slot <> 0;

  insert into counts as c (shard, project, span, day, what, parent, name, slot,
    human_visitors, ai_visitors, visitors, human_views, ai_views)
  select o.shard, o.project, b.span, b.start, o.what, o.parent, o.name, 0,
    sum(human_visitors), sum(ai_visitors), sum(visitors), sum(human_views), sum(ai_views)
  from unnest(b_days, b_spans, b_starts) as b(day, span, start)
    join counts o on o.shard = p_shard and o.project = p_project and o.span = 1 and o.day = b.day
  where b.day = any (p_days)
  group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, span, day, what, parent, name, slot) do update set
    human_visitors = c.human_visitors + excluded.human_visitors,
    ai_visitors = c.ai_visitors + excluded.ai_visitors,
    visitors = c.visitors + excluded.visitors,
    human_views = c.human_views + excluded.human_views,
    ai_views = c.ai_views + excluded.ai_views;
end $$;

-- Seals closed days, for whose batches was waited. What another node sealed meanwhile is left out.
create function seal_days(p_project text, p_days int[], b_days int[], b_spans int[], b_starts int[])
returns void language plpgsql as $$
declare
  v_project projects;
  v_sealed int[];
  v_shard int;
begin
  perform pg_advisory_xact_lock(2, p.id) from projects p where p.public_id = p_project;
  select * into v_project from projects where public_id = p_project;
  v_sealed := array(
    select day from days where project = v_project.id and id = any (p_days) and salt is null and forget_at is null
  );
  if v_sealed = '{}' then return; end if;
  perform forget_days(p_days);
  foreach v_shard in array shards_of(v_project.id, v_project.buckets) loop
    perform seal_shard(v_shard, v_project.id, v_sealed, b_days, b_spans, b_starts);
  end loop;
end $$;

-- After `seal_days`, and in a transaction of its own: servers of shards may be a moment late with what was committed.
create function note_sealed(p_project text, p_through int) returns void language sql as $$
  update projects set sealed_through = p_through
  where public_id = p_project and coalesce(sealed_through < p_through, true)
$$;

-- Takes the throw-away salts away that are due at `p_now`, and those of these days. Answers what is to be forgotten, also
-- what an earlier call left behind.
create function close_imported(p_project text, p_now bigint, p_done int[]) returns table (id int) language sql as $$
  update days d set salt = null from projects p
  where p.public_id = p_project and d.project = p.id
    and (d.forget_at <= p_now or (d.forget_at is not null and d.day = any (p_done)))
  returning d.id
$$;

-- Where counts of the project are.
create function shards_of(p_project int, p_buckets int) returns int[] language sql immutable
  as $$ select array(select (p_project + x) & 63 from generate_series(0, p_buckets - 1) x) $$;

-- The first and the last day with a count: an end of the index in each shard.
create function counted_days(p_shards int[], p_project int, out first int, out last int) language plpgsql stable as $$
begin
  select min(x.first), max(x.last) into first, last
  from (
    select
      (select c.day from counts c where c.shard = s and c.project = p_project and c.span = 1 order by c.day limit 1) as first,
      (select c.day from counts c where c.shard = s and c.project = p_project and c.span = 1 order by c.day desc limit 1) as last
    from unnest(p_shards) s
  ) x;
end $$;

-- The last of these days of each project that has any.
create function newest_days() returns table (project int, day int) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select p.id, max(newest.day)
  from projects p, unnest(shards_of(p.id, p.buckets)) s, lateral (
    select c.day from counts c where c.shard = s and c.project = p.id and c.span = 1 order by c.day desc limit 1
  ) newest
  group by p.id;
end $$;

-- In bytes, on all servers.
create function database_size() returns bigint language sql as $$ select pg_database_size(current_database()) $$;

-- Nobody counts on the project until the end of the transaction, and its names may be moved and deleted. Whoever was about
-- to count looks for them again.
create function hold_counting(p_project int) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(3, p_project);
  perform pg_advisory_xact_lock(2, p_project);
  -- First, as nobody opens a day from here on, of whose batches nobody would wait for the end.
  update projects set name_changes = name_changes + 1 where id = p_project;
  perform await_batches(array(select id from days where project = p_project));
end $$;

-- For the end of a project. Its visitors go with the partitions that they are in.
create function remove_counts(p_project int) returns void language plpgsql as $$
declare
  v_shards int[];
begin
  perform hold_counting(p_project);
  select shards_of(id, buckets) into v_shards from projects where id = p_project;
  perform forget_days(array(select id from days where project = p_project));
  delete from names where project = p_project;
  delete from counts where shard = any (v_shards) and project = p_project;
  delete from dropped where shard = any (v_shards) and project = p_project;
  delete from name_caps where shard = any (v_shards) and project = p_project;
end $$;

-- What an import needs so that it can be taken back, and so that lines that were not counted can be imported again.

-- The file as it was named when it was last read, and when that was, in milliseconds since 1970; null: before this was kept.
alter table logs add column name text not null default '';
alter table logs add column counted_at bigint;

-- Lines of a log that were read and may still be counted, as bits: 65,536 lines a row, without the zeros at the end.
create table open_lines (
  log int not null references logs (id) on delete cascade,
  chunk int not null,
  bits bytea not null,
  primary key (log, chunk)
);

-- What a log added to a day, a row for each batch; only of logs that were counted from their start since this is kept.
create table log_days (
  id bigint generated always as identity primary key,
  log int not null references logs (id) on delete cascade,
  day int not null,
  human_views bigint not null,
  ai_views bigint not null,
  last_at bigint not null,
  -- Sums by name: number of the name, views of people, views of AI clients.
  sums int[] not null,
  -- What else it added to, as JSON: dropped hits, tallies, and views beyond the limit of names.
  besides json not null
);
create index log_days_of_log on log_days (log, day);

-- The log that the views of a batch come from; null: they came another way. An import sets it for its transaction.
-- In one statement: Citus takes no change of a default beside others.
alter table visit_views add column log int default nullif(current_setting('headcount.log', true), '')::int;

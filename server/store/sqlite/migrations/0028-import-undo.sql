-- What an import needs so that it can be taken back, and so that lines that were not counted can be imported again.

-- The file as it was named when it was last read, and when that was, in milliseconds since 1970; null: before this was kept.
alter table logs add column name text not null default '';
alter table logs add column counted_at integer;

-- Lines of a log that were read and may still be counted, as bits: 65,536 lines a row, without the zeros at the end.
create table open_lines (
  log integer not null references logs (id) on delete cascade,
  chunk integer not null,
  bits blob not null,
  primary key (log, chunk)
) strict, without rowid;

-- What a log added to a day, a row for each batch; only of logs that were counted from their start since this is kept.
create table log_days (
  id integer primary key,
  log integer not null references logs (id) on delete cascade,
  day integer not null,
  human_views integer not null,
  ai_views integer not null,
  last_at integer not null,
  -- Sums by the number of names, as in `pending_counts`.
  sums blob not null,
  -- What else it added to, as JSON: dropped hits, tallies, and views beyond the limit of names.
  besides text not null
) strict;
create index log_days_of_log on log_days (log, day);

-- The log that the views of a batch come from; null: they came another way.
alter table visit_views add column log integer;

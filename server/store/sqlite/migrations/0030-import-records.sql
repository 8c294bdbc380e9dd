-- When a log began to be taken back; null: it is imported.
alter table logs add column undone_at integer;

-- While the day is active, as JSON, the visitors that a batch counted and what they counted under; with the row of the day.
alter table log_days add column visitors text;
alter table log_days add column day_id integer;
create index log_days_with_visitors on log_days (day_id) where day_id is not null;

-- When a log began to be taken back; null: it is imported.
alter table logs add column undone_at bigint;

-- Views by name, as `server/store/counts/import-record.ts` packs them.
alter table log_days drop column sums, add column sums bytea not null default '', alter column besides type text;

-- While the day is active, as JSON, the visitors that a batch counted and what they counted under; with the row of the day.
alter table log_days add column visitors text, add column day_id int;
create index log_days_with_visitors on log_days (day_id) where day_id is not null;

create or replace function forget_days(p_days int[]) returns void language sql as $$
  update log_days set visitors = null, day_id = null where day_id = any (p_days);
  delete from visit_views where day = any (p_days);
  delete from new_names where day = any (p_days);
  delete from name_takers where day = any (p_days);
  delete from days where id = any (p_days);
$$;

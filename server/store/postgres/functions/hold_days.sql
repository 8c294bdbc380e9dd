-- Whoever closes a day takes its salt away and then waits for this lock. Closed days are not asked for, so that nobody waits
-- for what follows.
create or replace function hold_days(p_shard int, p_days int[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(1, o.id)
  from (select d.id from days d where d.id = any (p_days) and d.salt is not null order by d.id) o;
end $$;

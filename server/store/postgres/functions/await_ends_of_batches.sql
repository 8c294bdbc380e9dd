-- Waits for the batches that saw the salts of these days before they were taken away.
create or replace function await_ends_of_batches(p_days int[]) returns void language sql as $$
  select pg_advisory_xact_lock(1, x) from unnest(p_days) x order by x
$$;

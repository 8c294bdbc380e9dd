create or replace function make_bin(p_bin int) returns void language plpgsql as $$
begin
  if has_bin(p_bin) then return; end if;
  perform pg_advisory_xact_lock(6, 0);
  if has_bin(p_bin) then return; end if;
  -- Attached and not made as a partition, which would wait for batches, and have them wait.
  execute format('create table %I (like seen including defaults) with (fillfactor = 75)', bin_table(p_bin));
  execute format('alter table seen attach partition %I for values in (%s)', bin_table(p_bin), p_bin);
end $$;

-- Drops one partition of visitors that no day has any more, if there is one; answers whether it did. One by a transaction, as
-- batches wait from the first drop to the end of it.
create or replace function drop_bin() returns boolean language plpgsql set lock_timeout = '500ms' as $$
declare
  v_bin int;
begin
  if not pg_try_advisory_xact_lock(6, 0) then return false; end if;
  select bin into v_bin
  from (
    select case when relname like 'seen\_opened\_%' then -substr(relname, 13)::int else substr(relname, 6)::int end as bin
    from pg_inherits join pg_class on oid = inhrelid where inhparent = 'seen'::regclass
  ) b
  where bin not between today() - 1 and today() + 2 and not exists (select from days d where d.bin = b.bin)
  order by random() limit 1;
  if v_bin is null then return false; end if;
  execute format('drop table %I', bin_table(v_bin));
  return true;
exception when lock_not_available then return false;
end $$;

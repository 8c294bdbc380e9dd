-- Makes the partitions of the days to come, and drops one that no day has any more.
create or replace function tidy_bins() returns void language plpgsql set lock_timeout = '500ms' as $$
declare
  v_bin int;
begin
  for v_bin in select generate_series(today() - 1, today() + 2) loop
    begin
      perform make_bin(v_bin);
    -- Whoever opens the day makes it, if nobody does before.
    exception when lock_not_available then null;
    end;
  end loop;
  perform drop_bin();
end $$;

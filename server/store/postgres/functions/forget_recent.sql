-- Deletes what is older than the window.
create or replace function forget_recent(p_now bigint, p_window bigint) returns void language plpgsql set lock_timeout = '500ms' as $$
declare
  v_now bigint := store_clock(p_now);
  -- Written to now, and soon.
  v_used int[] := array[recent_turn(v_now), recent_turn(v_now + 60000)];
  v_is_over boolean;
begin
  if not pg_try_advisory_xact_lock(9, 0) then return; end if;
  delete from recent where turn = any (v_used) and at <= v_now - p_window;
  for v_turn in 0..7 loop
    continue when v_turn = any (v_used);
    execute format('select exists (select from recent_%1$s) and not exists (select from recent_%1$s where at > $1)', v_turn)
      into v_is_over using v_now - p_window;
    if v_is_over then execute format('truncate recent_%s', v_turn); end if;
  end loop;
exception when lock_not_available then null;
end $$;

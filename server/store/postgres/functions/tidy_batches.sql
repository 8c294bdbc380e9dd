-- The turn before last is long over when its partition is used again.
create or replace function tidy_batches() returns void language plpgsql set lock_timeout = '500ms' as $$
declare
  v_next int := (batch_turn() + 1) & 3;
begin
  if not pg_try_advisory_xact_lock(6, 1) then return; end if;
  if exists (select 1 from batches where turn = v_next)
    and not exists (select 1 from batches where turn = v_next and at > now() - interval '90 minutes') then
    execute format('truncate batches_%s', v_next);
  end if;
exception when lock_not_available then null;
end $$;

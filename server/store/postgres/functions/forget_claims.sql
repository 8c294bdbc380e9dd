-- Deletes what is too old: receipts before a moment, and of the others what was not changed for so long. Answers how many
-- receipts.
create or replace function forget_claims(p_receipts bigint, p_now bigint, p_tellings bigint, p_nonces bigint, p_most int)
returns int language plpgsql as $$
declare
  v_now bigint := store_clock(p_now);
  v_forgotten int;
begin
  -- Nobody waits for another node that is about it.
  delete from pairs where view in (
    select view from pairs where at <= v_now - p_tellings order by at limit p_most for update skip locked
  );
  delete from nonces where nonce in (
    select nonce from nonces where at <= v_now - p_nonces order by at limit p_most for update skip locked
  );
  delete from receipts where (project, key) in (
    select project, key from receipts where at <= p_receipts order by at limit p_most for update skip locked
  );
  get diagnostics v_forgotten = row_count;
  return v_forgotten;
end $$;

-- Answers the places of those that were used before.
create or replace function use_nonces(p_nonces text[], p_now bigint) returns int[] language plpgsql as $$
declare
  v_nonce record;
  v_used int[] := '{}';
begin
  for v_nonce in
    select nonce, place from unnest(p_nonces) with ordinality as x(nonce, place) order by nonce, place
  loop
    insert into nonces values (v_nonce.nonce, p_now) on conflict do nothing;
    if not found then v_used := v_used || v_nonce.place::int; end if;
  end loop;
  return v_used;
end $$;

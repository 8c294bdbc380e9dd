-- Notes tellings of views, 1 by a report and -1 by the page. Answers the places of those that are the second of their view.
create or replace function note_tellings(p_views text[], p_steps int[], p_now bigint, p_window bigint) returns int[] language plpgsql as $$
declare
  v_telling record;
  v_balance int;
  v_second int[] := '{}';
begin
  -- In one order, so that transactions wait for each other in one direction only.
  for v_telling in
    select view, step, place from unnest(p_views, p_steps) with ordinality as x(view, step, place) order by view, place
  loop
    insert into pairs as p (view, balance, at) values (v_telling.view, v_telling.step, p_now)
    on conflict (view) do update set
      balance = case when p.at <= p_now - p_window then 0 else p.balance end + excluded.balance,
      at = excluded.at
    returning balance into v_balance;
    if (v_balance - v_telling.step) * v_telling.step < 0 then
      v_second := v_second || v_telling.place::int;
    end if;
  end loop;
  return v_second;
end $$;

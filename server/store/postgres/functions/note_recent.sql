create or replace function note_recent(p_projects text[], p_visitors bigint[], p_kinds int[], p_ago int[], p_now bigint)
returns void language plpgsql as $$
declare
  v_now bigint := store_clock(p_now);
begin
  insert into recent as r (turn, project, visitor, kind, at)
  select recent_turn(v_now), p.id, x.visitor, x.kind, max(v_now - x.ago)
  from unnest(p_projects, p_visitors, p_kinds, p_ago) as x(project, visitor, kind, ago)
    join projects p on p.public_id = x.project
  group by p.id, x.visitor, x.kind
  -- In one order, so that nodes wait for each other in one direction only.
  order by p.id, x.visitor, x.kind
  on conflict (turn, project, visitor, kind) do update set at = excluded.at where r.at < excluded.at;
end $$;

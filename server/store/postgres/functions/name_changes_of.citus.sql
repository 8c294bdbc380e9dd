-- A day that is not there is closed, or this server does not know yet that it is open: the node looks for it again.
create or replace function name_changes_of(p_days int[]) returns int[] language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v_changes int[];
begin
  select array_agg(p.name_changes order by x.place) into v_changes
  from unnest(p_days) with ordinality as x(day, place)
    left join batch_days d on d.id = x.day
    left join batch_projects p on p.id = d.project;
  if array_position(v_changes, null) is not null then
    raise exception 'A day is not open here.' using errcode = 'HC001';
  end if;
  return v_changes;
end $$;

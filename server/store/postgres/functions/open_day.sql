-- Opens a day for live hits, or (with p_forget_at) any day for an import. `state`: open; none: no such project; closed: `day` is
-- the first that can be open; ending: it is being closed; unmade: its partition has to be made first.
create or replace function open_day(p_project text, p_day int, p_salt bytea, p_forget_at bigint)
returns table (state text, id int, day int, salt bytea) language plpgsql as $$
declare
  v_project projects;
  v_bin int := bin_of(p_day);
  v_is_sealed boolean;
begin
  return query
    select 'open', d.id, d.day, d.salt from days d join projects p on p.id = d.project
    where p.public_id = p_project and d.day = p_day and d.salt is not null and (d.forget_at is null or p_forget_at is not null);
  if found then return; end if;
  -- Whoever closes days changes this row.
  select * into v_project from projects where public_id = p_project for share;
  v_is_sealed := coalesce(p_day <= v_project.sealed_through, false);
  if v_project.id is null then
    return query select 'none', null::int, null::int, null::bytea;
  elsif p_forget_at is null and p_day <= v_project.closed_through then
    return query select 'closed', null::int, v_project.closed_through + 1, null::bytea;
  elsif p_day <= v_project.closed_through and not v_is_sealed then
    return query select 'ending', null::int, v_project.closed_through, null::bytea;
  else
    perform pg_advisory_xact_lock_shared(6, 0);
    if not has_bin(v_bin) then
      return query select 'unmade', null::int, v_bin, null::bytea;
    else
      insert into days as d (project, day, bin, buckets, salt, forget_at)
      values (v_project.id, p_day, v_bin, v_project.buckets, p_salt, case when v_is_sealed then p_forget_at end)
      on conflict do nothing;
      return query select 'open', d.id, d.day, d.salt from days d where d.project = v_project.id and d.day = p_day;
    end if;
  end if;
end $$;

-- What the visits of days add, as `server/counting/visit.ts` says: 40 by the page that they began on, 41 ended on, 42 where it
-- was their only one, and 43 all of them, with their views. Of two views at the same moment that of the page whose name comes
-- first was first. Events that stand among the views are left out.
create or replace function visit_sums(p_shards int[], p_project int, p_days int[]) returns table (
  day int, what int, text text, human_visitors int, ai_visitors int, visitors int, human_views int, ai_views int
) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with viewed as materialized (
    select v.day, u.visitor, (u.view & 3)::int as kind, u.view >> 31 as moment, ((u.view >> 2) & 536870911)::int as path
    from visit_views v cross join lateral unnest(v.visitors, v.views) as u(visitor, view)
    where v.shard = any (p_shards) and v.day = any (p_days) and (u.view & 3) <> 0
  ),
  -- A path that was forgotten has no name, and comes last.
  paths as materialized (
    select n.id, n.text, row_number() over (order by n.text collate "C") as rank
    from names n where n.project = p_project and n.what = 1 and n.parent = 0
  ),
  visits as materialized (
    select v.day, v.visitor, v.kind, count(*) as views,
      min(v.moment << 29 | coalesce(p.rank, 536870911)) & 536870911 as entry,
      max(v.moment << 29 | coalesce(p.rank, 536870911)) & 536870911 as exit,
      count(distinct coalesce(p.rank, 536870911)) = 1 as is_single
    from viewed v left join paths p on p.id = v.path
    group by v.day, v.visitor, v.kind
  ),
  pages as (
    select v.day, v.visitor, x.what, x.page, bool_or(v.kind = 1) as human, bool_or(v.kind = 2) as ai
    from visits v cross join lateral (values (40, v.entry), (41, v.exit), (42, case when v.is_single then v.entry end))
      as x(what, page)
    where x.page is not null
    group by v.day, v.visitor, x.what, x.page
  )
  select g.day, g.what, p.text,
    count(*) filter (where g.human)::int, count(*) filter (where g.ai)::int, count(*)::int,
    count(*) filter (where g.human)::int, count(*) filter (where g.ai)::int
  from pages g join paths p on p.rank = g.page
  group by g.day, g.what, p.text
  union all
  select w.day, 43, '(all)',
    count(*) filter (where w.human > 0)::int, count(*) filter (where w.ai > 0)::int, count(*)::int,
    sum(w.human)::int, sum(w.ai)::int
  from (
    select v.day, v.visitor, coalesce(sum(v.views) filter (where v.kind = 1), 0) as human,
      coalesce(sum(v.views) filter (where v.kind = 2), 0) as ai
    from visits v group by v.day, v.visitor
  ) w
  group by w.day;
end $$;

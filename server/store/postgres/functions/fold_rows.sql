-- Adds rows up, and takes them away. How many numbers they have no plan knows, so it is told not to sort them. Slot 8 is of no batch, so that nobody waits for it but who does the same.
create or replace function fold_rows(p_shard int, p_rows tid[]) returns void language plpgsql
set jit = off set enable_seqscan = off set enable_sort = off as $$
begin
  with gone as (
    delete from pending_counts where shard = p_shard and ctid = any (p_rows) returning project, day, views, sightings
  ),
  added as (
    select g.project, g.day, i.name, sum(i.human_visitors) as human_visitors, sum(i.ai_visitors) as ai_visitors,
      sum(i.visitors) as visitors, sum(i.human_views) as human_views, sum(i.ai_views) as ai_views
    from gone g cross join lateral increments(g.views, g.sightings) i
    group by g.project, g.day, i.name
  )
  insert into counts as c (shard, project, span, day, what, parent, name, slot,
    human_visitors, ai_visitors, visitors, human_views, ai_views)
  -- A name that is not there fails, as `what` may not be null.
  select p_shard, a.project, 1, a.day, case when a.name = 0 then 0 else n.what end, coalesce(n.parent, 0), a.name, 8,
    a.human_visitors, a.ai_visitors, a.visitors, a.human_views, a.ai_views
  from added a
    left join lateral (select o.what, o.parent from names o where o.project = a.project and o.id = a.name limit 1) n on true
  order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, span, day, what, parent, name, slot) do update set
    human_visitors = c.human_visitors + excluded.human_visitors,
    ai_visitors = c.ai_visitors + excluded.ai_visitors,
    visitors = c.visitors + excluded.visitors,
    human_views = c.human_views + excluded.human_views,
    ai_views = c.ai_views + excluded.ai_views;
end $$;

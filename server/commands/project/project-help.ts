/** Of `headcount project`, without those of jobs. */
export const settingHelp = `Settings:
  --name <name>              the name that people see
  --host <host>              accept hits from pages on this host only; *.example.com stands for
                             all hosts below example.com. None given: any host
  --site-host <host>         fetch robots.txt and sitemap of this site once a day, such as
                             www.example.com, to say what AI clients make of them; "": fetch nothing
  --time-zone <zone>         where its days begin and end, such as Europe/Berlin (UTC)
  --exclude-path <glob>      do not count these paths, such as "/admin/**"
  --exclude-ip <range>       do not count visitors from there, such as 192.0.2.0/24
  --keep-parameter <name>    keep this query parameter as part of the path, such as page
  --goal <goal>              what people are to do: the name of an event, such as "Sign up", or a path or
                             glob, such as /thanks; who did is counted from the next day on
  --funnel <steps>           2 to 5 goals that people are to reach one after the other on one day, such as
                             "/prices > /cart > Order"
  --count-twins-as <what>    what /page.md and /llms.txt that a server or a log reports count as:
                             page (the page they stand for, /page and /) or file (themselves)
  --personal-paths <what>    what becomes of e-mail addresses, UUIDs and long random tokens in
                             paths: mask (they count as :email, :id and :token) or keep
  --keep-details <months>    after so many months a day keeps its sums of the site alone, and nothing by path,
                             source, AI client and so on (all: for good)
  --keep-counts <months>     after so many months all that was counted on a day is deleted (all: for good)
  --keep-hours <days>        keep the sums of hours of so many days before today, 2 to 400
                             ("": until a day is sealed, 24 hours after its end)
  --traffic-price <price>    what a GB of traffic costs, such as 0.09, to say what AI clients cost
                             ("": nothing is said)
  --embed-origin <origin>    pages of this origin, such as https://www.example.com, may show a shared
                             page in a frame. None given: nobody's

Settings that take several values can be given several times, or once with commas between
them; with "project set" they replace what was there, and "" empties them.`;

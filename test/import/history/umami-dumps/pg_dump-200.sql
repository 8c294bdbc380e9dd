--
-- PostgreSQL database dump
--

\restrict gi6d2jgMqST9UiFm4ZOVJme78Hzh2XlNCXNRrvOhaWrs3W333HqJcOJpotlfNpK

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: session; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.session (
    session_id uuid NOT NULL,
    website_id uuid NOT NULL,
    hostname character varying(100),
    browser character varying(20),
    os character varying(20),
    device character varying(20),
    screen character varying(11),
    language character varying(35),
    country character(2),
    subdivision1 character varying(20),
    subdivision2 character varying(50),
    city character varying(50),
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP
);


ALTER TABLE public.session OWNER TO postgres;

--
-- Name: website; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.website (
    website_id uuid NOT NULL,
    name character varying(100) NOT NULL,
    domain character varying(500),
    share_id character varying(50),
    reset_at timestamp(6) with time zone,
    user_id uuid,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamp(6) with time zone,
    deleted_at timestamp(6) with time zone
);


ALTER TABLE public.website OWNER TO postgres;

--
-- Name: website_event; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.website_event (
    event_id uuid NOT NULL,
    website_id uuid NOT NULL,
    session_id uuid NOT NULL,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP,
    url_path character varying(500) NOT NULL,
    url_query character varying(500),
    referrer_path character varying(500),
    referrer_query character varying(500),
    referrer_domain character varying(500),
    page_title character varying(500),
    event_type integer DEFAULT 1 NOT NULL,
    event_name character varying(50)
);


ALTER TABLE public.website_event OWNER TO postgres;

--
-- Data for Name: session; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.session (session_id, website_id, hostname, browser, os, device, screen, language, country, subdivision1, subdivision2, city, created_at) FROM stdin;
aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa	11111111-1111-4111-8111-111111111111	example.com	chrome	Windows 10	desktop	\N	de-DE	DE	\N	\N	\N	2026-03-14 09:00:00+00
bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb	11111111-1111-4111-8111-111111111111	example.com	firefox	Linux	laptop	\N	fr	FR	\N	\N	\N	2026-03-14 09:00:00+00
\.


--
-- Data for Name: website; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.website (website_id, name, domain, share_id, reset_at, user_id, created_at, updated_at, deleted_at) FROM stdin;
11111111-1111-4111-8111-111111111111	Example	example.com	\N	\N	\N	2026-11-28 12:38:57.636688+00	\N	\N
\.


--
-- Data for Name: website_event; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.website_event (event_id, website_id, session_id, created_at, url_path, url_query, referrer_path, referrer_query, referrer_domain, page_title, event_type, event_name) FROM stdin;
eeeeeeee-eeee-4eee-8eee-000000000001	11111111-1111-4111-8111-111111111111	aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa	2026-03-14 09:05:06.345+00	/	\N	\N	\N	www.google.com	It's a "title", with \\N and \\ and\ttab\nINSERT INTO x VALUES ('a');	1	\N
eeeeeeee-eeee-4eee-8eee-000000000002	11111111-1111-4111-8111-111111111111	aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa	2026-03-14 09:06:00+00	/docs		\N	\N	example.com	Docs	1	\N
eeeeeeee-eeee-4eee-8eee-000000000003	11111111-1111-4111-8111-111111111111	aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa	2026-03-14 09:06:30+00	/docs		\N	\N	example.com	Docs	2	signup
eeeeeeee-eeee-4eee-8eee-000000000004	11111111-1111-4111-8111-111111111111	bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb	2026-03-14 23:59:59+00	/	utm_source=news&utm_campaign=spring	\N	\N	\N	It's a "title", with \\N and \\ and\ttab\nINSERT INTO x VALUES ('a');	1	\N
eeeeeeee-eeee-4eee-8eee-000000000005	11111111-1111-4111-8111-111111111111	bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb	2026-03-15 00:00:00+00	/	\N	\N	\N	\N	\N	1	\N
\.


--
-- Name: session session_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (session_id);


--
-- Name: website_event website_event_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.website_event
    ADD CONSTRAINT website_event_pkey PRIMARY KEY (event_id);


--
-- Name: website website_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.website
    ADD CONSTRAINT website_pkey PRIMARY KEY (website_id);


--
-- Name: session_created_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX session_created_at_idx ON public.session USING btree (created_at);


--
-- Name: session_session_id_key; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX session_session_id_key ON public.session USING btree (session_id);


--
-- Name: session_website_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX session_website_id_idx ON public.session USING btree (website_id);


--
-- Name: website_created_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX website_created_at_idx ON public.website USING btree (created_at);


--
-- Name: website_event_created_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX website_event_created_at_idx ON public.website_event USING btree (created_at);


--
-- Name: website_event_session_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX website_event_session_id_idx ON public.website_event USING btree (session_id);


--
-- Name: website_event_website_id_created_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX website_event_website_id_created_at_idx ON public.website_event USING btree (website_id, created_at);


--
-- Name: website_event_website_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX website_event_website_id_idx ON public.website_event USING btree (website_id);


--
-- Name: website_event_website_id_session_id_created_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX website_event_website_id_session_id_created_at_idx ON public.website_event USING btree (website_id, session_id, created_at);


--
-- Name: website_share_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX website_share_id_idx ON public.website USING btree (share_id);


--
-- Name: website_share_id_key; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX website_share_id_key ON public.website USING btree (share_id);


--
-- Name: website_user_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX website_user_id_idx ON public.website USING btree (user_id);


--
-- Name: website_website_id_key; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX website_website_id_key ON public.website USING btree (website_id);


--
-- PostgreSQL database dump complete
--

\unrestrict gi6d2jgMqST9UiFm4ZOVJme78Hzh2XlNCXNRrvOhaWrs3W333HqJcOJpotlfNpK


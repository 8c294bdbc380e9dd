/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: m200
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `website_event`
--

DROP TABLE IF EXISTS `website_event`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `website_event` (
  `event_id` varchar(36) NOT NULL,
  `website_id` varchar(36) NOT NULL,
  `session_id` varchar(36) NOT NULL,
  `created_at` timestamp NULL DEFAULT current_timestamp(),
  `url_path` varchar(500) NOT NULL,
  `url_query` varchar(500) DEFAULT NULL,
  `referrer_path` varchar(500) DEFAULT NULL,
  `referrer_query` varchar(500) DEFAULT NULL,
  `referrer_domain` varchar(500) DEFAULT NULL,
  `page_title` varchar(500) DEFAULT NULL,
  `event_type` int(10) unsigned NOT NULL DEFAULT 1,
  `event_name` varchar(50) DEFAULT NULL,
  PRIMARY KEY (`event_id`),
  KEY `website_event_created_at_idx` (`created_at`),
  KEY `website_event_session_id_idx` (`session_id`),
  KEY `website_event_website_id_idx` (`website_id`),
  KEY `website_event_website_id_created_at_idx` (`website_id`,`created_at`),
  KEY `website_event_website_id_session_id_created_at_idx` (`website_id`,`session_id`,`created_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-28 12:38:59

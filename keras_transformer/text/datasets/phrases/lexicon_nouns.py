"""Nouns of the phrases grammar: English | German with article, genitive singular, plural | meaning classes.

One lemma per line. The English plural follows a slash where it is irregular; a German plural of ``-`` marks a
mass noun. A masculine noun whose genitive does not end in -s is weak (der Student, des Studenten).
"""

NOUNS = """
man/men          | der Mann Mannes Männer                     | person
woman/women      | die Frau Frau Frauen                       | person
child/children   | das Kind Kindes Kinder                     | person friend kid
boy              | der Junge Jungen Jungen                    | person kid
girl             | das Mädchen Mädchens Mädchen               | person kid
teacher          | der Lehrer Lehrers Lehrer                  | person job friend
student          | der Student Studenten Studenten            | person job
pupil            | der Schüler Schülers Schüler               | person friend kid
doctor           | der Arzt Arztes Ärzte                      | person job friend
nurse            | die Krankenschwester Krankenschwester Krankenschwestern | person job
farmer           | der Bauer Bauern Bauern                    | person job
baker            | der Bäcker Bäckers Bäcker                  | person job friend
judge            | der Richter Richters Richter               | person job
lawyer           | der Anwalt Anwalts Anwälte                 | person job friend
policeman/policemen | der Polizist Polizisten Polizisten      | person job
artist           | der Künstler Künstlers Künstler            | person job
singer           | der Sänger Sängers Sänger                  | person job
actress/actresses | die Schauspielerin Schauspielerin Schauspielerinnen | person job
author           | der Autor Autors Autoren                   | person job
journalist       | der Journalist Journalisten Journalisten   | person job
engineer         | der Ingenieur Ingenieurs Ingenieure        | person job
driver           | der Fahrer Fahrers Fahrer                  | person friend
pilot            | der Pilot Piloten Piloten                  | person job
waiter           | der Kellner Kellners Kellner               | person job
saleswoman/saleswomen | die Verkäuferin Verkäuferin Verkäuferinnen | person job
customer         | der Kunde Kunden Kunden                    | person friend
guest            | der Gast Gastes Gäste                      | person friend
tourist          | der Tourist Touristen Touristen            | person
neighbour        | der Nachbar Nachbarn Nachbarn              | person friend
friend           | der Freund Freundes Freunde                | person friend
colleague        | der Kollege Kollegen Kollegen              | person friend
boss/bosses      | der Chef Chefs Chefs                       | person friend
king             | der König Königs Könige                    | person
queen            | die Königin Königin Königinnen             | person
soldier          | der Soldat Soldaten Soldaten               | person job
thief/thieves    | der Dieb Diebes Diebe                      | person
gardener         | der Gärtner Gärtners Gärtner               | person job friend
dentist          | der Zahnarzt Zahnarztes Zahnärzte          | person job friend
mother           | die Mutter Mutter Mütter                   | person family single
father           | der Vater Vaters Väter                     | person family single
brother          | der Bruder Bruders Brüder                  | person family
sister           | die Schwester Schwester Schwestern         | person family
son              | der Sohn Sohnes Söhne                      | person family kid
daughter         | die Tochter Tochter Töchter                | person family kid
uncle            | der Onkel Onkels Onkel                     | person family
aunt             | die Tante Tante Tanten                     | person family
grandfather      | der Großvater Großvaters Großväter         | person family single
grandmother      | die Großmutter Großmutter Großmütter       | person family single
dog              | der Hund Hundes Hunde                      | animal pet
cat              | die Katze Katze Katzen                     | animal pet
horse            | das Pferd Pferdes Pferde                   | animal pet
cow              | die Kuh Kuh Kühe                           | animal
pig              | das Schwein Schweins Schweine              | animal
bird             | der Vogel Vogels Vögel                     | animal
mouse/mice       | die Maus Maus Mäuse                        | animal
rabbit           | das Kaninchen Kaninchens Kaninchen         | animal pet
bear             | der Bär Bären Bären                        | animal
lion             | der Löwe Löwen Löwen                       | animal
monkey           | der Affe Affen Affen                       | animal
elephant         | der Elefant Elefanten Elefanten            | animal
apple            | der Apfel Apfels Äpfel                     | food fruit
banana           | die Banane Banane Bananen                  | food fruit
pear             | die Birne Birne Birnen                     | food fruit
egg              | das Ei Eies Eier                           | food dish
cake             | der Kuchen Kuchens Kuchen                  | food baked
potato/potatoes  | die Kartoffel Kartoffel Kartoffeln         | food dish
tomato/tomatoes  | die Tomate Tomate Tomaten                  | food fruit
carrot           | die Karotte Karotte Karotten               | food dish
soup             | die Suppe Suppe Suppen                     | food dish
bread            | das Brot Brotes -                          | food baked
cheese           | der Käse Käses -                           | food
rice             | der Reis Reises -                          | food dish
meat             | das Fleisch Fleisches -                    | food dish
chocolate        | die Schokolade Schokolade -                | food
water            | das Wasser Wassers -                       | drink
milk             | die Milch Milch -                          | drink
coffee           | der Kaffee Kaffees -                       | drink
tea              | der Tee Tees -                             | drink
juice            | der Saft Saftes -                          | drink
beer             | das Bier Biers -                           | drink
wine             | der Wein Weines -                          | drink
book             | das Buch Buches Bücher                     | text story paper
letter           | der Brief Briefes Briefe                   | text mail paper
newspaper        | die Zeitung Zeitung Zeitungen              | text paper
story/stories    | die Geschichte Geschichte Geschichten      | text story telling
poem             | das Gedicht Gedichts Gedichte              | text story
novel            | der Roman Romans Romane                    | text story
article          | der Artikel Artikels Artikel               | text story
report           | der Bericht Berichts Berichte              | text story
message          | die Nachricht Nachricht Nachrichten        | text mail
postcard         | die Postkarte Postkarte Postkarten         | text mail paper
song             | das Lied Liedes Lieder                     | music song
concert          | das Konzert Konzerts Konzerte              | event
film             | der Film Films Filme                       | show
picture          | das Bild Bildes Bilder                     | show object image
game             | das Spiel Spiels Spiele                    | event contest
party/parties    | die Party Party Partys                     | event
wedding          | die Hochzeit Hochzeit Hochzeiten           | event
exam             | die Prüfung Prüfung Prüfungen              | event test
trip             | die Reise Reise Reisen                     | event
course           | der Kurs Kurses Kurse                      | event test
key              | der Schlüssel Schlüssels Schlüssel         | object small
bag              | die Tasche Tasche Taschen                  | object container
cup              | die Tasse Tasse Tassen                     | object small ware
glass/glasses    | das Glas Glases Gläser                     | object small ware
plate            | der Teller Tellers Teller                  | object small ware
knife/knives     | das Messer Messers Messer                  | object small ware
spoon            | der Löffel Löffels Löffel                  | object small ware
fork             | die Gabel Gabel Gabeln                     | object small ware
bottle           | die Flasche Flasche Flaschen               | object small ware container
box/boxes        | die Kiste Kiste Kisten                     | object container
ball             | der Ball Balls Bälle                       | object small toy
doll             | die Puppe Puppe Puppen                     | object small toy
clock            | die Uhr Uhr Uhren                          | object device
phone            | das Telefon Telefons Telefone              | object device small switch
computer         | der Computer Computers Computer            | object device switch
camera           | die Kamera Kamera Kameras                  | object device small switch
radio            | das Radio Radios Radios                    | object device switch
lamp             | die Lampe Lampe Lampen                     | object device switch
umbrella         | der Regenschirm Regenschirms Regenschirme  | object small
pencil           | der Bleistift Bleistifts Bleistifte        | object small
present          | das Geschenk Geschenks Geschenke           | object
ring             | der Ring Rings Ringe                       | object small
suitcase         | der Koffer Koffers Koffer                  | object container
mirror           | der Spiegel Spiegels Spiegel               | object
basket           | der Korb Korbes Körbe                      | object container
money            | das Geld Geldes -                          | money
guitar           | die Gitarre Gitarre Gitarren               | object instrument
violin           | die Geige Geige Geigen                     | object instrument
table            | der Tisch Tisches Tische                   | furniture
chair            | der Stuhl Stuhls Stühle                    | furniture
bed              | das Bett Bettes Betten                     | furniture
cupboard         | der Schrank Schranks Schränke              | furniture container
sofa             | das Sofa Sofas Sofas                       | furniture
shelf/shelves    | das Regal Regals Regale                    | furniture
door             | die Tür Tür Türen                          | opening
window           | das Fenster Fensters Fenster               | opening
car              | das Auto Autos Autos                       | vehicle
bus/buses        | der Bus Busses Busse                       | transport line
train            | der Zug Zuges Züge                         | transport line
bicycle          | das Fahrrad Fahrrads Fahrräder             | vehicle
ship             | das Schiff Schiffes Schiffe                | transport line
boat             | das Boot Bootes Boote                      | vehicle
truck            | der Lastwagen Lastwagens Lastwagen         | vehicle
coat             | der Mantel Mantels Mäntel                  | clothing
shirt            | das Hemd Hemdes Hemden                     | clothing
dress/dresses    | das Kleid Kleides Kleider                  | clothing
hat              | der Hut Hutes Hüte                         | clothing
skirt            | der Rock Rocks Röcke                       | clothing
shoe             | der Schuh Schuhs Schuhe                    | clothing
jacket           | die Jacke Jacke Jacken                     | clothing
sweater          | der Pullover Pullovers Pullover            | clothing
suit             | der Anzug Anzugs Anzüge                    | clothing
cap              | die Mütze Mütze Mützen                     | clothing
house            | das Haus Hauses Häuser                     | building home built
church/churches  | die Kirche Kirche Kirchen                  | building built
hospital         | das Krankenhaus Krankenhauses Krankenhäuser | building
hotel            | das Hotel Hotels Hotels                    | building
restaurant       | das Restaurant Restaurants Restaurants     | building
station          | der Bahnhof Bahnhofs Bahnhöfe              | building
museum           | das Museum Museums Museen                  | building
theatre          | das Theater Theaters Theater               | building
cinema           | das Kino Kinos Kinos                       | building
library/libraries | die Bibliothek Bibliothek Bibliotheken    | building
supermarket      | der Supermarkt Supermarkts Supermärkte     | building
airport          | der Flughafen Flughafens Flughäfen         | building
office           | das Büro Büros Büros                       | room
factory/factories | die Fabrik Fabrik Fabriken                | building
castle           | das Schloss Schlosses Schlösser            | building built
bridge           | die Brücke Brücke Brücken                  | building built
tower            | der Turm Turms Türme                       | building built
village          | das Dorf Dorfes Dörfer                     | area
city/cities      | die Stadt Stadt Städte                     | area
park             | der Park Parks Parks                       | area
garden           | der Garten Gartens Gärten                  | area home
forest           | der Wald Waldes Wälder                     | area
beach/beaches    | der Strand Strandes Strände                | area
lake             | der See Sees Seen                          | area
river            | der Fluss Flusses Flüsse                   | area
kitchen          | die Küche Küche Küchen                     | room home
living room      | das Wohnzimmer Wohnzimmers Wohnzimmer      | room home
bathroom         | das Badezimmer Badezimmers Badezimmer      | room home
cellar           | der Keller Kellers Keller                  | room
room             | das Zimmer Zimmers Zimmer                  | room home
flat             | die Wohnung Wohnung Wohnungen              | room home
tree             | der Baum Baumes Bäume                      | plant
flower           | die Blume Blume Blumen                     | plant
question         | die Frage Frage Fragen                     | idea
answer           | die Antwort Antwort Antworten              | idea
problem          | das Problem Problems Probleme              | idea
idea             | die Idee Idee Ideen                        | idea
plan             | der Plan Plans Pläne                       | idea
mistake          | der Fehler Fehlers Fehler                  | slip
secret           | das Geheimnis Geheimnisses Geheimnisse     | telling
joke             | der Witz Witzes Witze                      | telling joke
language         | die Sprache Sprache Sprachen               | lore
name             | der Name Namens Namen                      | part
colour           | die Farbe Farbe Farben                     | part
price            | der Preis Preises Preise                   | part
end              | das Ende Endes Enden                       | part
"""

"""Where things are, stand, lie and are done, and where one goes, in the phrases grammar."""

# English static | German static | English goal | German goal: a place noun with its prepositions.
PLACES = """
garden               | in in                      | in
park                 | in in                      | in
forest               | in in                      | in
beach                | on an                      | an
lake                 | at an                      | an
river                | at an                      | an
cinema               | at in                      | in
theatre              | at in                      | in
museum               | in in                      | in
library              | in in                      | in
supermarket          | in in                      | in
restaurant           | in in                      | in
hotel                | in in                      | in
hospital             | in in                      | in
church               | in in                      | in
office               | in in                      | in
factory              | in in                      | in
station              | at an                      | zu
airport              | at an                      | zu
castle               | in in                      | zu
village              | in in                      | in
city                 | in in                      | in
kitchen              | in in                      | in
living room          | in in                      | in
bathroom             | in in                      | in
cellar               | in in                      | in
"""

FIXED_PLACES = """
at home              | zu Hause                   | home           | nach Hause
at school            | in der Schule              | to school      | zur Schule
at work              | bei der Arbeit             | to work        | zur Arbeit
here                 | hier                       | -              | -
there                | dort                       | -              | -
in Berlin            | in Berlin                  | to Berlin      | nach Berlin
in London            | in London                  | to London      | nach London
in Vienna            | in Wien                    | to Vienna      | nach Wien
in Munich            | in München                 | to Munich      | nach München
in Cologne           | in Köln                    | to Cologne     | nach Köln
in Germany           | in Deutschland             | to Germany     | nach Deutschland
in France            | in Frankreich              | to France      | nach Frankreich
in Italy             | in Italien                 | to Italy       | nach Italien
in Austria           | in Österreich              | to Austria     | nach Österreich
in Spain             | in Spanien                 | to Spain       | nach Spanien
in Switzerland       | in der Schweiz             | to Switzerland | in die Schweiz
"""

COUNTRIES = frozenset(("Germany", "France", "Italy", "Austria", "Spain", "Switzerland"))

# Verb: where it is done. "@town" stands for every town and country.
PLACES_OF = """
sleep      : hotel hospital kitchen garden at_home here there @town
work       : office factory restaurant hotel museum library hospital supermarket garden at_home here there @town
laugh      : cinema theatre restaurant at_school here
dance      : park garden restaurant kitchen castle beach here there
sing       : church theatre park bathroom castle garden at_school @town
smoke      : garden park restaurant station here there
wait       : station airport park office hotel kitchen garden at_home here there
cook       : kitchen restaurant hotel at_home here
bake       : kitchen at_home
shop       : supermarket city village here there @town
rest       : park garden forest beach hotel at_home here there
learn      : library kitchen garden at_home at_school here
play       : garden park forest kitchen beach cellar at_home at_school here there
read       : library garden park kitchen living_room at_home at_school
write      : library office kitchen living_room at_home
eat        : kitchen garden restaurant park living_room hotel at_home at_school
drink      : kitchen garden restaurant living_room hotel at_home
buy        : supermarket city village @town
sell       : city village beach station @town
meet       : station airport park cinema theatre museum restaurant church city beach @town
find       : garden cellar kitchen forest living_room river beach office
lose       : forest park cinema station airport beach city
see        : park forest museum city village lake river station @town
photograph : park forest city castle beach lake garden @town
watch      : park forest garden lake river
paint      : garden park cellar forest beach at_home
draw       : park museum garden kitchen at_school at_home
repair     : cellar garden factory at_home
wash       : bathroom cellar river kitchen garden
hide       : cellar garden kitchen living_room forest office
feed       : park garden forest
visit      : @town
organise   : castle hotel park garden at_school @town
get_to_know: library hotel museum church beach at_work at_school @town
prepare    : office kitchen at_school at_home
live       : city village castle hotel here there @town @town
stay       : hotel hospital kitchen garden office city village castle at_home at_home here there @town
hike       : forest lake @country there
take_place : castle hotel park church theatre at_school here there @town
"""

# Verb: where one goes with it.
GOALS_OF = """
go     : garden park forest beach cinema theatre museum library church station kitchen cellar home school work
come   : park beach cinema theatre museum castle restaurant office station village city home school work @town
run    : garden park forest beach river station castle village kitchen home school
drive  : beach lake supermarket hospital factory station airport village city home work @town
travel : @town
"""

# Place: what there is in it.
FOUND_IN = """
kitchen     : table chair cupboard shelf lamp mouse clock
cellar      : shelf box bottle mouse cupboard suitcase bicycle
garden      : tree flower bird rabbit cat bicycle
park        : tree flower bird lake restaurant
forest      : tree bird bear lake castle mouse
village     : church bridge farmer pig cow horse
city        : museum theatre cinema library hotel church station airport hospital bridge factory
office      : computer phone shelf lamp
library     : book newspaper computer table
supermarket : apple banana egg potato tomato carrot
restaurant  : guest waiter tourist mirror table
hotel       : guest tourist restaurant bed mirror
lake        : boat ship bird hotel
in_Berlin   : museum theatre park castle hotel tourist artist
in_Munich   : museum theatre park castle church tourist artist
in_Austria  : castle lake river village
in_Italy    : beach church castle lake tourist
"""

# Where people and furniture stand, people and vehicles: anchor noun and the prepositions it can take.
INDOORS = """
table    | behind in_front_of next_to
bed      | behind in_front_of next_to
sofa     | behind in_front_of next_to
cupboard | behind in_front_of next_to
door     | behind in_front_of next_to
window   | in_front_of next_to
"""
OUTDOORS = """
house    | behind in_front_of next_to
church   | behind in_front_of next_to
tree     | under behind in_front_of next_to
car      | behind in_front_of next_to
bridge   | under
"""

# Where small things lie and are put.
LYING = """
table    | on under next_to
bed      | on under behind
sofa     | on under behind next_to
chair    | on under next_to
shelf    | on
cupboard | in behind next_to
box      | in behind next_to
basket   | in behind next_to
suitcase | in next_to
bag      | in next_to
door     | behind
lamp     | next_to
tree     | under
"""

POSITIONS = {"on": "auf", "under": "unter", "next_to": "neben", "behind": "hinter", "in_front_of": "vor", "in": "in"}

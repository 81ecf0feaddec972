"""Adjectives, adverbs, names, places, times and function words of the phrases grammar."""

# English comparative/superlative | German comparative (and attributive stem) | classes it can be said of.
ADJECTIVES = """
old older            | alt älter              | person animal building vehicle furniture clothing object text show area
young younger        | jung jünger            | person animal plant
small smaller        | klein kleiner          | person animal building vehicle furniture object room area plant
big bigger           | groß größer            | animal building vehicle furniture object room area plant
new newer            | neu neuer              | building vehicle furniture clothing object text show
good better          | gut besser             | job friend text show idea event music food drink
bad worse            | schlecht schlechter    | job show idea event music food
beautiful            | schön schöner          | person animal building vehicle clothing area room plant show music sky
ugly uglier          | hässlich hässlicher    | building vehicle clothing furniture animal show
expensive            | teuer teurer teur      | vehicle clothing furniture object drink building
cheap cheaper        | billig billiger        | vehicle clothing furniture object
red                  | rot                    | vehicle clothing furniture small plant opening
blue                 | blau                   | vehicle clothing furniture small opening
green                | grün                   | vehicle clothing furniture small opening
yellow               | gelb                   | vehicle clothing furniture small plant
black                | schwarz                | vehicle clothing furniture small device pet
white                | weiß                   | vehicle clothing furniture small opening pet
brown                | braun                  | clothing furniture pet
long longer          | lang länger            | text event clothing
short shorter        | kurz kürzer            | text event clothing
heavy heavier        | schwer schwerer        | furniture container device
fast faster          | schnell schneller      | vehicle animal
slow slower          | langsam langsamer      | vehicle
strong stronger      | stark stärker          | person animal
weak weaker          | schwach schwächer      | person animal
rich richer          | reich reicher          | person
poor poorer          | arm ärmer              | person
happy happier        | glücklich glücklicher  | person
sad sadder           | traurig trauriger      | person story music
tired                | müde - müd             | person animal
ill                  | krank                  | person animal
healthy healthier    | gesund gesünder        | person animal
friendly friendlier  | freundlich freundlicher | person animal
nice nicer           | nett netter            | person
clever cleverer      | klug klüger            | person animal idea
stupid               | dumm dümmer            | idea slip
lazy lazier          | faul fauler            | person animal
hard-working         | fleißig fleißiger      | person
famous               | berühmt berühmter      | job building area story show
polite               | höflich höflicher      | person
brave braver         | mutig mutiger          | person
hungry hungrier      | hungrig hungriger      | person animal
thirsty              | durstig                | person animal
curious              | neugierig neugieriger  | person animal
angry                | wütend                 | person
interesting          | interessant interessanter | text show idea event area
boring               | langweilig langweiliger | text show event
difficult            | schwierig schwieriger  | idea event lore
easy easier          | einfach einfacher      | idea event lore
important            | wichtig wichtiger      | idea mail event
dangerous            | gefährlich gefährlicher | animal area
loud louder          | laut lauter            | music animal vehicle
warm warmer          | warm wärmer            | clothing room dish drink
cold colder          | kalt kälter            | room dish drink
sweet sweeter        | süß süßer              | fruit drink baked
fresh fresher        | frisch frischer        | food
dark darker          | dunkel dunkler dunkl   | room area
clean cleaner        | sauber sauberer        | clothing room ware
dirty dirtier        | schmutzig schmutziger  | clothing room ware vehicle
empty                | leer                   | room container ware
full                 | voll                   | container ware
modern               | modern moderner        | building device furniture
funny funnier        | lustig lustiger        | story show telling person
strange stranger     | seltsam seltsamer      | person idea story animal
broken               | kaputt                 | device vehicle ware furniture
high higher          | hoch höher hoh         | tall
quiet quieter        | ruhig ruhiger          | area room person
"""

NAMES = "Anna:f Peter:m Maria:f Paul:m Laura:f Martin:m Julia:f David:m Emma:f Simon:m Clara:f Robert:m"

# English static | German static | English goal | German goal: a place noun with its prepositions.
PLACES = """
garden      | in in | in
park        | in in | in
forest      | in in | in
beach       | on an | an
lake        | at an | an
river       | at an | an
cinema      | at in | in
theatre     | at in | in
museum      | in in | in
library     | in in | in
supermarket | in in | in
restaurant  | in in | in
hotel       | in in | in
hospital    | in in | in
church      | in in | in
office      | in in | in
factory     | in in | in
station     | at an | zu
airport     | at an | zu
castle      | in in | zu
village     | in in | in
city        | in in | in
kitchen     | in in | in
living room | in in | in
bathroom    | in in | in
cellar      | in in | in
"""

FIXED_PLACES = """
at home        | zu Hause        | home           | nach Hause
at school      | in der Schule   | to school      | zur Schule
at work        | bei der Arbeit  | to work        | zur Arbeit
here           | hier            | -              | -
there          | dort            | -              | -
in Berlin      | in Berlin       | to Berlin      | nach Berlin
in London      | in London       | to London      | nach London
in Vienna      | in Wien         | to Vienna      | nach Wien
in Munich      | in München      | to Munich      | nach München
in Cologne     | in Köln         | to Cologne     | nach Köln
in Germany     | in Deutschland  | to Germany     | nach Deutschland
in France      | in Frankreich   | to France      | nach Frankreich
in Italy       | in Italien      | to Italy       | nach Italien
in Austria     | in Österreich   | to Austria     | nach Österreich
in Spain       | in Spanien      | to Spain       | nach Spanien
in Switzerland | in der Schweiz  | to Switzerland | in die Schweiz
"""

COUNTRIES = frozenset(("Germany", "France", "Italy", "Austria", "Spain", "Switzerland"))

# What stands where: anchor noun and the prepositions it can take.
ANCHORS = """
table    | on under next_to
bed      | on under next_to
sofa     | on behind next_to
chair    | on under next_to
shelf    | on
cupboard | in behind next_to
box      | in behind
basket   | in next_to
suitcase | in next_to
bag      | in next_to
door     | behind in_front_of
window   | in_front_of next_to
house    | behind in_front_of next_to
church   | behind in_front_of next_to
tree     | under behind next_to
car      | in behind under
"""
POSITIONS = {"on": "auf", "under": "unter", "next to": "neben", "behind": "hinter", "in front of": "vor", "in": "in"}

TIMES_PRESENT = """
today            | heute
now              | jetzt
every day        | jeden Tag
every week       | jede Woche
every morning    | jeden Morgen
every evening    | jeden Abend
in the morning   | am Morgen
in the afternoon | am Nachmittag
in the evening   | am Abend
at night         | in der Nacht
at the weekend   | am Wochenende
in spring        | im Frühling
in summer        | im Sommer
in autumn        | im Herbst
in winter        | im Winter
on Monday        | am Montag
on Tuesday       | am Dienstag
on Wednesday     | am Mittwoch
on Thursday      | am Donnerstag
on Friday        | am Freitag
on Saturday      | am Samstag
on Sunday        | am Sonntag
"""
TIMES_FUTURE = """
tomorrow         | morgen
soon             | bald
later            | später
tonight          | heute Abend
next week        | nächste Woche
next month       | nächsten Monat
next year        | nächstes Jahr
next summer      | nächsten Sommer
on Monday        | am Montag
on Tuesday       | am Dienstag
on Wednesday     | am Mittwoch
on Thursday      | am Donnerstag
on Friday        | am Freitag
on Saturday      | am Samstag
on Sunday        | am Sonntag
in January       | im Januar
in March         | im März
in May           | im Mai
in July          | im Juli
in October       | im Oktober
in December      | im Dezember
"""
TIMES_PAST = """
yesterday         | gestern
yesterday evening | gestern Abend
last week         | letzte Woche
last month        | letzten Monat
last year         | letztes Jahr
last summer       | letzten Sommer
last winter       | letzten Winter
"""

FREQUENCIES = "always:immer often:oft sometimes:manchmal never:nie rarely:selten usually:normalerweise"
FOCUS = "already:schon again:wieder yet:noch"
MANNERS = "quickly:schnell slowly:langsam loudly:laut quietly:leise well:gut carefully:vorsichtig alone:allein"
VEHICLES_BY = "bus:dem,Bus train:dem,Zug bicycle:dem,Fahrrad car:dem,Auto taxi:dem,Taxi plane:dem,Flugzeug"

# English | German infinitive present singular (ich du er) plural stem past stem.
MODALS = """
can            | können können kann kannst kann konnte
may            | dürfen dürfen darf darfst darf durfte
have to        | müssen müssen muss musst muss musste
want to        | wollen wollen will willst will wollte
should         | sollten sollten sollte solltest sollte -
would like to  | möchten möchten möchte möchtest möchte -
"""

# Verb: the manner adverbs that suit it.
MANNERS_OF = """
sleep  : well quietly
work   : quickly slowly well carefully alone
laugh  : loudly quietly
cry    : loudly quietly
dance  : well slowly alone
sing   : loudly quietly well alone
swim   : quickly slowly well alone
learn  : quickly slowly well
eat    : quickly slowly alone
drink  : quickly slowly
read   : quickly slowly quietly carefully
write  : quickly slowly
open   : carefully slowly quietly quickly
close  : carefully slowly quietly quickly
repair : quickly carefully alone
wash   : quickly carefully
clean  : quickly carefully alone
drive  : carefully slowly quickly alone
run    : quickly slowly
travel : alone
hike   : slowly alone
cook   : well slowly
play   : loudly quietly alone well
answer : quickly slowly quietly loudly
"""

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
read       : library garden park kitchen living_room at_home at_school here
write      : library office kitchen living_room at_home here
eat        : kitchen garden restaurant park living_room hotel at_home at_school here there
drink      : kitchen garden restaurant living_room hotel at_home here there
buy        : supermarket city village here there @town
sell       : city village beach station here there @town
meet       : station airport park cinema theatre museum restaurant church city beach there @town
find       : garden cellar kitchen forest living_room river beach office there
lose       : forest park cinema station airport beach city there
see        : park forest museum city village lake river station there @town
photograph : park forest city castle beach lake garden there @town
watch      : park forest garden lake river there
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
hike       : forest village @country there
take_place : castle hotel park church theatre at_school here there @town
"""

# Place: what there is in it.
FOUND_IN = """
kitchen     : table chair cupboard shelf lamp mouse clock
cellar      : shelf box bottle mouse cupboard suitcase bicycle
garden      : tree flower bird rabbit cat bicycle
park        : tree flower bird duck lake restaurant
forest      : tree bird bear lake castle mouse
village     : church bridge farmer pig cow horse
city        : museum theatre cinema library hotel church station airport hospital bridge factory
office      : computer phone shelf lamp
library     : book newspaper computer table
supermarket : apple banana egg potato tomato carrot
restaurant  : guest waiter tourist mirror table
hotel       : guest tourist restaurant bed mirror
lake        : boat duck ship bird hotel
in_Berlin   : museum theatre park castle hotel tourist artist
in_Munich   : museum theatre park castle church tourist artist
in_Austria  : castle lake mountain river village
in_Italy    : beach church castle lake tourist
"""

LOOKS = frozenset(
    ["tired", "happy", "sad", "angry", "ill", "healthy", "friendly", "young", "old", "beautiful", "strong", "hungry"]
)
SOLD = "object,clothing,vehicle,furniture"

# Group names used in frames that stand for several classes.
GROUPS = {
    "thing": "object clothing vehicle furniture text show",
}
